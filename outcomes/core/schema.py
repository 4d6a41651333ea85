"""Schema generation that this code knows."""

from typing import Final

# A release that adds migrations raises the generation. Code of the previous generation works with
# the new schema, so hosts restart one by one. If that is impossible, OLDEST equals GENERATION.
GENERATION: Final = 1
OLDEST: Final = 1  # generation of the oldest code that works with this schema
# Newest migrations that break older code. Later ones only add.
BASE: Final = {"governance": "0007_audit_proof", "outcomes": "0009_archive_place"}
