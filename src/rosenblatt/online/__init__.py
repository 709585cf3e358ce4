"""Learning sample by sample and epoch by epoch: update rules, step sizes, stopping."""
