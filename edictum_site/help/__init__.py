"""Help inside the console: docs, changelog and version."""
