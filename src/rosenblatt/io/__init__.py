"""Files in: every source is a run of chunks that can be read again from the beginning."""
