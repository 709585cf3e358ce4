"""Rules in closed form: moments of the classes, discriminants, thresholds."""
