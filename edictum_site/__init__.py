"""The composition root: it may import everything and is imported by nothing."""
