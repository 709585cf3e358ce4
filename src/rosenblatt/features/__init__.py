"""Maps from rows to rows."""
