"""A parsed document converted to the other format: the expected content of its rendering."""

from typing import Any

from governance.texts.dialect import Dialect, Path, dialect_of, swap_key, swap_value


def to_new(document: dict[Any, Any]) -> dict[Any, Any]:
    return _swapped(document) if _dialect(document) is Dialect.OLD else document


def to_old(document: dict[Any, Any]) -> dict[Any, Any]:
    return _swapped(document) if _dialect(document) is Dialect.NEW else document


def _dialect(document: dict[Any, Any]) -> Dialect:
    return dialect_of(kind=document.get("kind"), has_contracts="contracts" in document)


def _swapped(value: Any, path: Path = ()) -> Any:
    # Keys and values differ in the document, in its rules and in their `then`, no deeper.
    if isinstance(value, str):
        return swap_value(path, value)
    if len(path) > 3:
        return value
    if isinstance(value, dict):
        return {
            swap_key(path, key) if isinstance(key, str) else key: _swapped(item, (*path, key))
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_swapped(item, (*path, place)) for place, item in enumerate(value)]
    return value
