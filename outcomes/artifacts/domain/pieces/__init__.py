"""Pieces of an artifact for display: bytes in; lines, records, members or pixels out."""
