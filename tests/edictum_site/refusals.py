"""Errors that the product can return, read from its source: each code with its status."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from edictum_site.api import CODES, STATUS
from governance.core.errors import GovernanceError
from outcomes.record.wire.refusals import DECODER_ERRORS

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("governance", "outcomes", "edictum_site")
NAMES_STATUS = {"BodyRefused", "refusal", "api_error"}
REASONS = {"Blocked": 409}  # a blocked deployment: its command raises these


class Refused(NamedTuple):
    status: int
    code: str


def request_errors() -> set[Refused]:
    """Every code of an API error."""
    kinds = {each.__name__: _status_of(each) for each in _errors()} | REASONS
    names = {Refused(_status_of(each), each.code) for each in _errors()}
    names |= {Refused(status, code) for status, code in CODES.items()}
    for name, call in _calls():
        values = [_constant(each) for each in call.args[:2]]
        if name in NAMES_STATUS:
            if len(values) == 2 and isinstance(values[0], int) and isinstance(values[1], str):
                names.add(Refused(values[0], values[1]))
        elif name in kinds:
            codes = [_constant(each.value) for each in call.keywords if each.arg == "code"]
            names |= {Refused(kinds[name], code) for code in codes if isinstance(code, str)}
    return names


def item_errors() -> set[str]:
    """Every code with which a single posted item can be rejected."""
    names = {code for _, code in DECODER_ERRORS}
    for name, call in _calls():
        if name == "ItemRefused" and isinstance(code := _constant(call.args[0]), str):
            names.add(code)
    return names


def _errors() -> Iterator[type[GovernanceError]]:
    import_module("edictum_site.urls")  # an error class exists only once its module is imported
    waiting = GovernanceError.__subclasses__()
    while waiting:
        each = waiting.pop()
        waiting += each.__subclasses__()
        yield each


def _status_of(error: type[GovernanceError]) -> int:
    return next(STATUS[kind] for kind in error.__mro__ if kind in STATUS)


@cache
def _calls() -> list[tuple[str, ast.Call]]:
    sources = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return [
        (node.func.id, node)
        for path in sources
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    ]


def _constant(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None
