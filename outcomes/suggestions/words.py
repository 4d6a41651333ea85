"""A suggestion in sentences; what machines call things stands in backticks."""

import json
from typing import Any

from governance.checks.authoring.suggested_rules import looks_at_items
from governance.checks.language.shipped.rows import Followed
from governance.core.masking import Masking
from outcomes.models import Rejudging, Suggestion
from outcomes.web.sentences import counted, without_marks

SHOWN = 60  # characters of a value
_WHOLE = ("{", "[")  # how objects and lists begin, which would not fit into a sentence


def what_words(suggestion: Suggestion) -> str:
    """1,204 results of `crm_update` judged success have `ok: false`."""
    number, tool = suggestion.results, without_marks(suggestion.tool.name)
    if not number:
        return f"No result of `{tool}` is so now."
    have = "results of {} judged success have" if number > 1 else "result of {} judged success has"
    return f"{number:,} {have.format(f'`{tool}`')} {_values(suggestion, number)}."


def seen_words(suggestion: Suggestion) -> str:
    """How often each value was there, when there are several."""
    saw = suggestion.saw
    if len(saw) < 2:
        return ""
    told = [f"`{_value(selector, value)}` {_times(number)}" for selector, value, number in saw]
    rest = suggestion.results - sum(number for _, _, number in saw)
    return ", ".join([*told, f"others {_times(rest)}"] if rest else told)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def rule_words(followed: Followed | None) -> str:
    """Which row of the shapes reference it follows."""
    if followed is None:
        return ""
    row = followed.row
    what = f"row {row.key}" if row.key.isdecimal() else f"section {row.key}"
    return f"{what} of the result shapes, {row.title}"


def effect_words(effect: Rejudging) -> str:
    """What its rule would change, as far as that is known."""
    if not effect.has_ended:
        return f"Being computed: {effect.progress:.0%} read."
    if effect.status != Rejudging.Status.DONE:
        return effect.error or "Its computation was cancelled."
    counts: dict[str, int] = effect.result["flips"]["counts"]
    failed, succeeded = counts.get("newly_failed", 0), counts.get("newly_succeeded", 0)
    changed = f"{counted(failed, 'recorded call')} would become failures"
    return f"{changed}, {succeeded:,} successes." if succeeded else f"{changed}, none a success."


def _values(suggestion: Suggestion, results: int) -> str:
    saw: list[list[Any]] = suggestion.saw
    selector, value, number = saw[0]
    if value.startswith("[") and looks_at_items(suggestion.check_name, suggestion.rule):
        return f"failed items in `{_name(selector)}`"
    if all(other == selector and each[:1] in _WHOLE for other, each, _ in saw):
        return f"`{_name(selector)}` that is not empty"
    if number == results:
        return f"`{_value(selector, value)}`"
    if all(other == selector for other, _, _ in saw):
        return f"`{_name(selector)}` such as `{_short(shown_value(selector, value))}`"
    return f"`{_value(selector, value)}` and the like"


def _value(selector: str, value: str) -> str:
    return f"{_name(selector)}: {_short(shown_value(selector, value))}"


def shown_value(selector: str, value: str) -> str:
    """As it is kept: JSON, perhaps cut."""
    return Masking().written(selector, value)


def _name(selector: str) -> str:
    """As people name a field: without what every selector begins with."""
    first, _, more = selector.partition(" ?? ")
    name = first.rpartition("|json")[2].removeprefix("result").lstrip(".") or "the result"
    return without_marks(f"{name} …" if more else name)


def _short(value: str) -> str:
    try:
        text = json.dumps(json.loads(value), ensure_ascii=False)
    except ValueError:  # it was cut
        text = value
    return without_marks(text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…")
