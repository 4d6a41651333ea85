"""Detects whether a rule of a check reads a field whose name suggests a secret."""

from collections.abc import Iterator, Mapping
from typing import Any

from governance.core.compiled_check import Compiled
from governance.core.secret_names import is_secret_name


def reads_secret(compiled: Compiled, rule: str) -> bool:
    return any(
        is_secret_name(selector)
        for each in compiled["rules"]
        if rule in (each["id"], f"{each['of']}/{each['id']}")
        for selector in _selectors(each["when"])
    )


def _selectors(condition: Mapping[str, Any]) -> Iterator[str]:
    if "select" in condition:
        yield condition["text"]
        return
    inner = [condition["not"]] if "not" in condition else condition.get("all", condition.get("any"))
    for each in inner or ():
        yield from _selectors(each)
