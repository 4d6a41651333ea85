"""For the API's description: what else an operation may answer than follows from what it is."""

from typing import Any, Final

# It is so already, or was changed meanwhile.
MAY_CONFLICT: Final[dict[str, Any]] = {"responses": {409: {}}}
