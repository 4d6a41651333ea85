"""OpenAPI extra for operations that may respond with a conflict."""

from typing import Any, Final

# It already has this state, or was changed in the meantime.
MAY_CONFLICT: Final[dict[str, Any]] = {"responses": {409: {}}}
