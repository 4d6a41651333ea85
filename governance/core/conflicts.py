"""OpenAPI addition: an operation that may answer with a conflict."""

from typing import Any, Final

# It is so already, or was changed meanwhile.
MAY_CONFLICT: Final[dict[str, Any]] = {"responses": {409: {}}}
