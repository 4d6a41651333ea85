"""Events as agents reported them, and the outcome of every call."""
