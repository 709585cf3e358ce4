"""Online learning: update rules, step sizes, epochs, stopping criteria."""
