"""Questions to data and rules: what errors are made of, what more rows or features buy."""
