"""Hosts of an installation: which shared parts each one sees, and when it last reported."""
