"""Command line of the product, and locations of its files."""
