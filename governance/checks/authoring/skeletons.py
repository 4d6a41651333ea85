"""Draft rule that matches one result, on its most telling field.

Fields are chosen by name and value, after the reference of result shapes. A person reviews the rule
and decides whether such a result is a failure.
"""

import json
import re
from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from governance.checks.authoring.inserting import Pairs
from governance.checks.language.rules import LONGEST_TOOL
from governance.core.free_names import as_free_name
from governance.core.json_value import Json

_DEEPEST: Final = 3
_WIDEST: Final = 40  # fields per object that are considered
_LONGEST_JSON: Final = 65_536  # characters of a string that is parsed as JSON
_LONGEST: Final = 60  # characters of a string that a rule compares with
_SAYS_YES: Final = frozenset(("ok", "success", "succeeded", "successful", "passed", "valid"))
_SAYS_NO: Final = frozenset(
    ("iserror", "error", "failed", "failure", "haserrors", "interrupted", "timedout", "denied")
)
_ERRORS: Final = frozenset(
    ("error", "errors", "exception", "err", "fault", "errormessage", "errorcode", "failurereason")
)
_STATUS: Final = frozenset(("status", "statuscode", "httpstatus", "code", "httpcode"))
_EXITS: Final = frozenset(("exitcode", "returncode", "exitstatus", "rc", "exit"))
_STATES: Final = frozenset(
    ("status", "state", "type", "outcome", "result", "phase", "finishreason")
)
_COUNTS: Final = frozenset(
    ("failed", "failures", "errorcount", "failedcount", "errors", "rejected")
)
_FAILING: Final = frozenset(
    (
        "error",
        "failed",
        "failure",
        "fail",
        "aborted",
        "cancelled",
        "canceled",
        "rejected",
        "expired",
    )
)
_PENDING: Final = frozenset(
    ("queued", "running", "pending", "inprogress", "processing", "accepted", "started", "waiting")
)
_LABELS: Final = {"timedout": "timeout", "denied": "denied", "interrupted": "interrupted"}
_MESSAGES: Final = ("message", "error", "detail", "reason", "description")
_BARE: Final = re.compile(r"[A-Za-z_$@][A-Za-z0-9_$@-]*")
_LEAD: Final = re.compile(r"[A-Za-z][\w. ]{1,38}:(?=\s)")
_WORDS: Final = re.compile(r"[a-z0-9]+")


class Field(NamedTuple):
    above: str  # selector of the object that has this field
    selector: str
    name: str  # the key's letters and digits, in lower case
    value: Json
    inside: Json  # the object that has this field


class _Chosen(NamedTuple):
    """Candidate field and test; the lowest `weight` is the most telling."""

    weight: int
    field: Field
    test: dict[str, Json]  # an operator and its operand
    verdict: str = "failure"
    label: str = ""


def rule_for(result: Json, tool: str, used_ids: Collection[str]) -> Pairs:
    """A rule, key by key, that matches this result of this tool."""
    chosen = min(_all(result), key=lambda each: each.weight)
    pairs: list[tuple[str, Json]] = [("id", as_free_name(_slug(chosen), used_ids))]
    if tool and len(tool) <= LONGEST_TOOL and not re.search(r"[\[\]{}|,*?\0]", tool):
        pairs.append(("tool", tool))
    pairs.append(("when", {chosen.field.selector: chosen.test}))
    pairs.append(("verdict", chosen.verdict))
    if reason := _reason(chosen):
        pairs.append(("reason", reason))
    if chosen.label:
        pairs.append(("label", chosen.label))
    return pairs


def _all(result: Json) -> Iterator[_Chosen]:
    root = Field("", "result", "", result, None)
    yield from _for_root(root)
    for depth, field in _fields(result, "result", 1):
        for each in _for_field(field):
            yield each._replace(weight=each.weight * 10 + depth)
    if isinstance(result, str):
        yield from _inside_text(result)


def _for_root(root: Field) -> Iterator[_Chosen]:
    match root.value:
        case None:
            yield _Chosen(0, root, {"type": "null"})
        case str() | list() | dict() as nothing if not nothing:
            yield _Chosen(0, root, {"empty": True})
        case str() as text if "Traceback (most recent call last)" in text:
            yield _Chosen(0, root, {"contains": "Traceback (most recent call last)"})
        case str() as text if text.strip():
            lead = _LEAD.match(text)
            begins = lead[0] if lead else text.lstrip("\n").split("\n")[0][:_LONGEST]
            if text.startswith(begins) and begins:
                yield _Chosen(500, root, {"starts_with": begins})
            else:
                yield _Chosen(950, root, {"type": "string"})
        case bool() | int() | float():
            yield _Chosen(900, root, {"equals": root.value})
        case list():
            yield _Chosen(950, root, {"type": "array"})
        case dict():
            yield _Chosen(950, root, {"type": "object"})
        case _:
            yield _Chosen(950, root, {"type": "string"})


def _for_field(field: Field) -> Iterator[_Chosen]:
    name, value = field.name, field.value
    match value:
        case bool():
            if name in _SAYS_YES:
                yield _Chosen(1 if value is False else 60, field, {"equals": value})
            elif name in _SAYS_NO:
                label = _LABELS.get(name, "") if value else ""
                yield _Chosen(1 if value else 60, field, {"equals": value}, label=label)
            else:
                yield _Chosen(70, field, {"equals": value})
        case int() | float():
            yield from _for_number(field, value)
        case str():
            yield from _for_text(field, value)
        case list() | dict() if not value:
            yield _Chosen(65, field, {"empty": True})
        case list() | dict() if name in _ERRORS:
            test: dict[str, Json] = (
                {"exists": True} if isinstance(value, dict) else {"empty": False}
            )
            yield _Chosen(4, field, test)
        case None:
            yield _Chosen(85, field, {"type": "null"})
        case _:
            pass


def _for_number(field: Field, value: float) -> Iterator[_Chosen]:
    name = field.name
    if name in _EXITS and value != 0:
        yield _Chosen(3, field, {"not_equals": 0})
    elif name in _STATUS and 400 <= value < 600:
        yield _Chosen(5, field, {"gte": 400})
    elif name in _COUNTS and value > 0:
        yield _Chosen(8, field, {"gt": 0})
    elif name in _STATUS or name in _EXITS:
        yield _Chosen(62, field, {"equals": value})
    else:
        yield _Chosen(90, field, {"equals": value})


def _for_text(field: Field, text: str) -> Iterator[_Chosen]:
    small = "".join(_WORDS.findall(text.lower()))
    short = 0 < len(text) <= _LONGEST
    if field.name in _STATES and small in _PENDING and short:
        yield _Chosen(6, field, {"equals": text}, verdict="unknown", label="pending")
    elif field.name in _STATES and small in _FAILING and short:
        yield _Chosen(2, field, {"equals": text})
    elif field.name in _ERRORS and text:
        yield _Chosen(4, field, {"exists": True})
    elif field.name in _STATES and short:
        yield _Chosen(63, field, {"equals": text})
    elif short:
        yield _Chosen(88, field, {"equals": text})
    elif not text:
        yield _Chosen(66, field, {"empty": True})


def _inside_text(text: str) -> Iterator[_Chosen]:
    if len(text) > _LONGEST_JSON or text.lstrip()[:1] not in ("{", "["):
        return
    try:
        inner: Json = json.loads(text)
    except (ValueError, RecursionError):
        return
    for depth, field in _fields(inner, "result|json", 1):
        for each in _for_field(field):
            yield each._replace(weight=each.weight * 10 + depth)


def _fields(value: Json, above: str, depth: int) -> Iterator[tuple[int, Field]]:
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    for key, inner in list(value.items())[:_WIDEST]:
        if len(key) > _LONGEST:
            continue
        selector = f"{above}.{key if _BARE.fullmatch(key) else json.dumps(key)}"
        name = "".join(_WORDS.findall(key.lower()))
        yield depth, Field(above, selector, name, inner, value)
        yield from _fields(inner, selector, depth + 1)


def _slug(chosen: _Chosen) -> str:
    last = re.split(r"[.\"|]", chosen.field.selector.rstrip('"'))[-1]
    words = "-".join(_WORDS.findall(re.sub(r"(?<=[a-z])(?=[A-Z])", "-", last).lower()))
    lead = ""
    match chosen.test:
        case {"equals": False}:
            lead = "not-"
        case {"type": str(kind)} if words == "result":
            words = f"{kind}-result"
        case {"contains": _}:
            words = "traceback"
        case {"starts_with": str(text)}:
            words = "-".join(_WORDS.findall(text.lower())[:4]) or "text"
        case _:
            pass
    return f"{lead}{words or 'result'}"[:50]


def _reason(chosen: _Chosen) -> str:
    """Template of the reason: a message in the result, or the value that decided."""
    _, at, _, value, inside = chosen.field
    if isinstance(inside, dict) and "{" not in at and "}" not in at:
        for name in _MESSAGES:
            if isinstance(inside.get(name), str) and inside[name]:
                return f"{{{chosen.field.above}.{name}}}"
        if isinstance(value, dict) and isinstance(value.get("message"), str):
            return f"{{{at}.message}}"
    return "" if value in (None, "", [], {}) else "{value}"
