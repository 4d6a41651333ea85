"""Backups of a running console as one file, and their restore into an empty installation.

The file is a tar compressed by zstd, written and read in one pass: a header, the secret key, the
artifacts, the database in parts, and a manifest of counts and hashes at the end.
"""
