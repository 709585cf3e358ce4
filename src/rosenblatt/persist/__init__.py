"""Models out: a file that is only data, and other people's formats."""
