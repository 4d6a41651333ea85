"""Pages of outcomes, split by noun."""
