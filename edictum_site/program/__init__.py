"""The command line of the product, and where its files lie."""
