"""A report as one HTML file that opens offline: figures in, text out."""
