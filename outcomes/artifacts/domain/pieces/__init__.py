"""A piece of an artifact as a person reads it: bytes in; lines, records, members or points out."""
