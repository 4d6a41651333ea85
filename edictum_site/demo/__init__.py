"""Two weeks of believable traffic: simulated agents on the real SDK, over the real HTTP API.

What lies here runs as a process of its own. It knows an address and a key, and no database.
"""
