"""The evaluation process: the only place that imports the library, and it imports nothing of ours.

It runs users' documents with an empty environment, next to no memory and no way to open anything.
"""
