"""JSON pointers (RFC 6901) to parts of a value."""

from typing import Final

from governance.core.json_value import Json

LONGEST: Final = 4_096  # characters


class NoSuchPlace(LookupError):
    """The value has no such part."""


def below(pointer: str, name: str | int) -> str:
    return f"{pointer}/{str(name).replace('~', '~0').replace('/', '~1')}"


def value_at(value: Json, pointer: str) -> Json:
    if pointer and not pointer.startswith("/"):
        raise NoSuchPlace(pointer)
    for name in pointer.split("/")[1:]:
        value = _part(value, name.replace("~1", "/").replace("~0", "~"))
    return value


def _part(value: Json, name: str) -> Json:
    match value:
        case dict() if name in value:
            return value[name]
        case list() if name.isdecimal() and name.isascii() and int(name[:9]) < len(value):
            return value[int(name[:9])]
        case _:
            raise NoSuchPlace(name)
