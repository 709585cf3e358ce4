"""Matrix products, scores and exact sums that the solvers share."""
