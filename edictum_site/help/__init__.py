"""Help inside the console: the docs, what is new, and which version this is."""
