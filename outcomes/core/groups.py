"""Kinds of call groups (similar failures, similar denials) and the length of their texts."""

from typing import Final

FAILURE: Final = "failure"
DENIED: Final = "denied"
LONGEST: Final = 200  # characters of a reason that distinguish groups
