"""Load and limits: figures taken from a running product, and recounted before they are shown."""
