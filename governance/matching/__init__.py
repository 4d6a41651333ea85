"""The parts of the matcher. `exports` joins them into one text; nothing of ours is imported here.

The names of all parts together are one namespace: no two of them share one.
"""
