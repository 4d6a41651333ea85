"""The library has its own schema checked anew before each document, which takes thirty times as
long as the document: what never changes is checked once."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

_check = Draft202012Validator.check_schema
_checked: list[Mapping[str, Any]] = []  # held, so that none takes the place of another in memory


def check_schema_once() -> None:
    """From now on, and for as long as this process lives."""
    setattr(Draft202012Validator, "check_schema", _check_once)  # noqa: B010  # a method, for mypy


def _check_once(schema: Mapping[str, Any], *args: Any, **options: Any) -> None:
    if any(schema is each for each in _checked):
        return
    _check(schema, *args, **options)
    _checked.append(schema)
