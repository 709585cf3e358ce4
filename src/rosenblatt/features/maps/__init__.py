"""Feature maps Φ as plain records: their fitted parameters, and how they transform rows."""
