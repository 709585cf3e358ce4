"""One file a room: what is heard there, worked out, and shown."""
