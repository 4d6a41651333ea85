"""The type of a parsed JSON value, as tools return and agents send them."""

from typing import TypeAlias

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
