"""The library validates its own schema before each document, which takes thirty times as long as
the document. This patch validates each schema only once."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

_check = Draft202012Validator.check_schema
_checked: list[Mapping[str, Any]] = []  # referenced, so that no other schema gets the same address


def check_schema_once() -> None:
    """Patch the validator for the lifetime of this process."""
    setattr(Draft202012Validator, "check_schema", _check_once)  # noqa: B010  # a method, for mypy


def _check_once(schema: Mapping[str, Any], *args: Any, **options: Any) -> None:
    if any(schema is each for each in _checked):
        return
    _check(schema, *args, **options)
    _checked.append(schema)
