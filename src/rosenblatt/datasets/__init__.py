"""Data that come with the library: small real tables, pictures, and synthetic problems."""
