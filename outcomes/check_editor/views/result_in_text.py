"""Insert a recorded result into a check, as an example or as a rule for it."""

from collections.abc import Collection
from dataclasses import replace
from typing import Final

from governance.checks.authoring.inserting import Inserted, rule_ids, with_example, with_rule
from governance.checks.authoring.skeletons import rule_for
from governance.checks.language.matcher import canonical
from governance.checks.language.named import NamedCheck
from governance.checks.queries.analysis import read_check_text
from governance.core.errors import InvalidInput, NotFound
from governance.core.json_value import Json
from governance.core.masking import masked
from governance.core.numbers import ID_DIGITS, parse_number
from outcomes.artifacts.views.small_outputs import OutputsAtHand
from outcomes.check_editor.queries.newest_results import result_numbered
from outcomes.check_editor.queries.trial import read_results
from outcomes.suggestions.domain.trials import Result

RULE: Final = "rule"
VERDICTS: Final = ("success", "failure", "unknown")
SHORT: Final = 400  # characters of a result that is inserted unchanged
LONGEST: Final = 8_000
_TEXT: Final = 160  # characters of a string in a shortened result
_ITEMS: Final = 3
_KEYS: Final = 30
_DEEPEST: Final = 6


def inserted_into(
    text: str, kind: str, project: int, call: str, newer: Collection[str] = ()
) -> Inserted:
    if kind not in (RULE, *VERDICTS):
        raise InvalidInput("Add it as an example of a verdict, or as a rule.")
    result = _result(project, call)
    read, _ = read_check_text(project, text, newer)
    check = NamedCheck(read.compiled) if read.compiled is not None else None
    if kind == RULE:
        pairs = rule_for(result.output, result.tool, rule_ids(text))
        # The rule that currently decides this result: the new one must come before it.
        before = _decision(check, result, result.output, result.elapsed_ms)[1] if check else ""
        return with_rule(text, pairs, before=before)
    return with_example(
        text,
        tool=result.tool,
        result=_for_people(check, result),
        verdict=kind,
        elapsed_ms=result.elapsed_ms if _time_tells(check, result) else None,
    )


def shortened(value: Json, depth: int = 0) -> Json:
    """Value with long strings, long lists and wide objects truncated to their first items."""
    match value:
        case str():
            return value if len(value) <= _TEXT else value[:_TEXT] + "…"
        case list():
            return [shortened(item, depth + 1) for item in value[:_ITEMS]] if _fits(depth) else []
        case dict() if _fits(depth):
            some = list(value.items())[:_KEYS]
            return {key: shortened(inner, depth + 1) for key, inner in some}
        case dict():
            return {}
        case _:
            return value


def _fits(depth: int) -> bool:
    return depth < _DEEPEST


def _result(project: int, call: str) -> Result:
    row = result_numbered(project, parse_number(call, ID_DIGITS) or 0)
    if row is None:
        raise NotFound("No such output.")
    read = read_results([row], {}, OutputsAtHand(project, [row]).read)
    if not read.results:
        raise InvalidInput(next(iter(read.unread)))
    result = read.results[0]
    return replace(result, output=masked(result.output)[0])


def _for_people(check: NamedCheck | None, result: Result) -> Json:
    """Output, shortened for readability if the check decides the same way on the short form."""
    output = result.output
    if len(canonical(output)) <= SHORT:
        return output
    short = shortened(output)
    if check is not None:
        full, part = (_decision(check, result, each, result.elapsed_ms) for each in (output, short))
        if full != part:
            short = output
    if len(canonical(short)) > LONGEST:
        raise InvalidInput("This output is too long for an example. Write a shorter one by hand.")
    return short


def _time_tells(check: NamedCheck | None, result: Result) -> bool:
    """True if the verdict depends on the duration of the call."""
    if check is None or result.elapsed_ms is None:
        return False
    timed, untimed = (
        _decision(check, result, result.output, each) for each in (result.elapsed_ms, None)
    )
    return timed != untimed


def _decision(
    check: NamedCheck, result: Result, output: Json, elapsed_ms: float | None
) -> tuple[str, str]:
    judgement = check.judge(result.tool, output, elapsed_ms)
    return judgement.verdict.value, judgement.rule
