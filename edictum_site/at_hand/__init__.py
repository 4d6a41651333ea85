"""Connections that the event loop has at hand: who asks alone waits for no thread.

To hand a question to a thread and its answer back takes longer than the statement. Each kind of
database has its own way to be asked without holding up the loop.
"""
