"""Type of a parsed JSON value, as tools return and agents send it."""

from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
