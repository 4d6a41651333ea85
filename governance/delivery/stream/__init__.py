"""Streams: thousands of agent connections on one event loop that receive updates.

No stream holds a thread or a database connection. This package knows nothing of HTTP or the front.
"""
