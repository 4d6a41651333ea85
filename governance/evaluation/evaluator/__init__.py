"""The evaluation process: the only part of the server that imports the library.

It runs users' documents with an empty environment, limited memory and no way to open anything.
"""
