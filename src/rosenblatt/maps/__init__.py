"""Feature maps Φ as plain records: what they learned, and rows of features out of rows."""
