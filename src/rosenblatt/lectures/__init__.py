"""The worked examples of five lectures, fitted, replayed, drawn, and opened in the lab."""
