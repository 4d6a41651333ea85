"""Pages of governance, split by noun."""
