"""The hosts of one installation: what each sees of the shared parts, and when it was last heard."""
