"""The kinds of groups of calls, failed alike or denied alike, and how long their texts are."""

from typing import Final

FAILURE: Final = "failure"
DENIED: Final = "denied"
LONGEST: Final = 200  # characters of a reason that tell groups apart
