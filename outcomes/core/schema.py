"""The number of the schema that this code knows."""

from typing import Final

# A release that adds migrations raises the generation. Code of the generation before works with
# its schema, so hosts restart one by one; where that is impossible, OLDEST equals GENERATION.
GENERATION: Final = 1
OLDEST: Final = 1  # generation of the oldest code that works with this schema
# The newest migrations that code older than them does not work with. Later ones only add.
BASE: Final = {"governance": "0007_audit_proof", "outcomes": "0009_archive_place"}
