"""Built-in data: small real tables, images, and synthetic problems."""
