"""Two weeks of realistic traffic: simulated agents on the real SDK, over the real HTTP API.

This package runs as a separate process with a URL and a key, and without database access.
"""
