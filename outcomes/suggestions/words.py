"""Sentences about suggestions, with names in backticks."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from governance.checks.authoring.suggested_rules import tests_items
from governance.checks.language.shipped.rows import Followed
from governance.core.figures import counted, without_marks
from governance.core.masking import Masking
from outcomes.models import Rejudging, Suggestion
from outcomes.suggestions.domain.flow import Step
from outcomes.suggestions.queries import Flow, Outputs

SHOWN = 60  # characters of a value
LONGEST_TOOL: Final = 24  # characters of a tool's name in a headline
_OBJECTS = ("{", "[")  # first characters of values too long for a sentence


def headline(
    rows: Sequence[Suggestion], total: int, outputs: Outputs, period: str, *, is_scanned: bool
) -> str:
    """Headline: "60 of 157 `warehouse_lookup` outputs look like failures, 9 more suggestions"."""
    if rows:
        more = f", {counted(total - 1, 'more suggestion')}" if total > 1 else ""
        return f"{doubt_words(rows[0])}{more}"
    if not outputs.calls:
        return f"No calls to scan {period}"
    if not outputs.with_output:
        none = "The only call" if outputs.calls == 1 else f"None of {outputs.calls:,} calls"
        sent = "sent no output" if outputs.calls == 1 else "sent an output"
        return f"{none} {sent} {period}: nothing can be checked"
    state = "No suggestions" if is_scanned else "Not scanned yet"
    return f"{state}: {outputs_words(outputs, period)}"


def doubt_words(suggestion: Suggestion) -> str:
    """Clause: "60 of 157 `warehouse_lookup` outputs look like failures"."""
    tool = _cut(without_marks(suggestion.tool.name), LONGEST_TOOL)
    verb = "looks like a failure" if suggestion.results == 1 else "look like failures"
    return f"{suggestion.results:,} of {counted(suggestion.of, f'`{tool}` output')} {verb}"


def outputs_words(outputs: Outputs, period: str) -> str:
    """Clause: "18 of 24 calls sent an output in the last 24 hours"."""
    return f"{outputs.with_output:,} of {counted(outputs.calls, 'call')} sent an output {period}"


def what_words(suggestion: Suggestion) -> str:
    """Sentence: "60 of 157 outputs of `crm_lookup` have `ok: false` and count as success"."""
    tool = without_marks(suggestion.tool.name)
    if not suggestion.results:
        return f"No output of `{tool}` matches now."
    have, count = ("has", "counts") if suggestion.results == 1 else ("have", "count")
    outputs = f"{suggestion.results:,} of {counted(suggestion.of, 'output')} of `{tool}`"
    return f"{outputs} {have} {values_words(suggestion)} and {count} as success."


def title_words(suggestion: Suggestion) -> str:
    return f"Suggestion: count {values_words(suggestion)} as failure"


def seen_words(suggestion: Suggestion) -> str:
    """How often each value occurs, if there are several."""
    saw = suggestion.saw
    if len(saw) < 2:
        return ""
    words = [f"`{_value(selector, value)}` {_times(number)}" for selector, value, number in saw]
    rest = suggestion.results - sum(number for _, _, number in saw)
    return ", ".join([*words, f"others {_times(rest)}"] if rest else words)


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def rule_words(followed: Followed | None) -> str:
    """Row of the result shapes reference that the rule comes from."""
    if followed is None:
        return ""
    row = followed.row
    what = f"row {row.key}" if row.key.isdecimal() else f"section {row.key}"
    return f"{what} of the result shapes, {row.title}"


def effect_words(effect: Rejudging) -> str:
    """Impact of the rule on recorded calls, if known."""
    if not effect.has_ended:
        return f"Computing its impact: {effect.progress:.0%}."
    if effect.status != Rejudging.Status.DONE:
        return effect.error or "The impact preview was cancelled."
    counts: dict[str, int] = effect.result["flips"]["counts"]
    failed, succeeded = counts.get("newly_failed", 0), counts.get("newly_succeeded", 0)
    changes = [f"{counted(failed, 'recorded call')} would change to failure"]
    if succeeded:
        changes.append(f"{succeeded:,} to success")
    return f"{', '.join(changes)}."


@dataclass(frozen=True, slots=True)
class ShownStep:
    """A step of the flow: its effect in numbers, its button, and why it is not available yet."""

    key: Step
    number: int
    title: str
    words: str
    button: str
    state: str  # done, now or later
    reason: str = ""
    undo: str = ""  # label of the button that undoes the step


_REASONS: Final = {
    Step.SAVE: "Create the draft first",
    Step.BIND: "Save the check first",
    Step.RECLASSIFY: "Bind the check first",
}


def steps_of(flow: Flow) -> list[ShownStep]:
    order, now = list(Step), flow.step
    place = order.index(now) if now else len(order)
    steps = []
    for number, key in enumerate(order):
        state = "done" if number < place else "now" if number == place else "later"
        done = state == "done"
        words = _STEP_WORDS[key](flow)
        steps.append(
            ShownStep(
                key=key,
                number=number + 1,
                title=key.value.capitalize(),
                words=words.done if done else words.todo,
                button=words.button,
                state=state,
                reason=_REASONS.get(key, "") if state == "later" else "",
                undo=_undo(flow, key) if done else "",
            )
        )
    return steps


def _undo(flow: Flow, step: Step) -> str:
    if step is Step.DRAFT and flow.place.saved is None:
        return "Discard draft"
    return "Unbind" if step is Step.BIND and flow.may_unbind else ""


class StepWords(NamedTuple):
    todo: str
    done: str
    button: str


def _draft_words(flow: Flow) -> StepWords:
    name, tool = flow.place.name, without_marks(flow.tool.name)
    check = f"the new check `{name}`" if flow.place.number == 1 else f"`{name}`"
    todo = f"1 rule for `{tool}` in {check}. Nothing changes yet."
    return StepWords(todo, f"1 rule for `{tool}` in `{name}`.", "Create draft")


def _save_words(flow: Flow) -> StepWords:
    version = f"`{flow.place.name} v{flow.place.number}`"
    effect = flow.suggestion.effect if flow.suggestion and flow.place.draft else None
    impact = effect_words(effect) if effect else "The draft shows how many verdicts would change."
    return StepWords(f"As {version}. {impact}", f"Saved as {version}.", "Save check")


def _bind_words(flow: Flow) -> StepWords:
    tool = without_marks(flow.tool.name)
    todo = f"To `{tool}` in all environments. New calls are checked from then on."
    done = f"`{flow.place.name}` checks new calls of `{tool}`."
    return StepWords(todo, done, f"Bind to {_cut(tool, LONGEST_TOOL)}")


def _reclassify_words(flow: Flow) -> StepWords:
    calls = flow.past.calls if flow.is_bound else flow.past.checked
    number = f"more than {calls:,}" if flow.past.is_more else f"{calls:,}"
    todo = f"{number} recorded {'call' if calls == 1 else 'calls'} with an output"
    effect = flow.suggestion.effect if flow.suggestion else None
    if effect is not None and effect.status == Rejudging.Status.DONE:
        failed: int = effect.result["flips"]["counts"].get("newly_failed", 0)
        todo += f": {failed:,} {'changes' if failed == 1 else 'change'} to failure"
    done = f"Recorded calls have the verdicts of `{flow.place.name} v{flow.place.number}`."
    button = "past calls" if flow.past.is_more else counted(calls, "call")
    return StepWords(f"{todo}.", done, f"Reclassify {button}")


_STEP_WORDS: Final = {
    Step.DRAFT: _draft_words,
    Step.SAVE: _save_words,
    Step.BIND: _bind_words,
    Step.RECLASSIFY: _reclassify_words,
}


def values_words(suggestion: Suggestion) -> str:
    """Values that the rule matched, e.g. `ok: false`, in one phrase that fits all outputs."""
    saw: list[list[Any]] = suggestion.saw
    if not saw:
        return "such outputs"
    selector, value, number = saw[0]
    if value.startswith("[") and tests_items(suggestion.check_name, suggestion.rule):
        return f"failed items in `{_name(selector)}`"
    if all(other == selector and each[:1] in _OBJECTS for other, each, _ in saw):
        return f"a non-empty `{_name(selector)}`"
    if number == suggestion.results:
        return f"`{_value(selector, value)}`"
    if all(other == selector for other, _, _ in saw):
        return f"`{_name(selector)}` such as `{_short(shown_value(selector, value))}`"
    return f"`{_value(selector, value)}` and similar values"


def _value(selector: str, value: str) -> str:
    return f"{_name(selector)}: {_short(shown_value(selector, value))}"


def shown_value(selector: str, value: str) -> str:
    """Stored value as JSON, possibly truncated."""
    return Masking().written(selector, value)


def _name(selector: str) -> str:
    """Name of a field, without the prefix common to all selectors."""
    first, _, more = selector.partition(" ?? ")
    name = first.rpartition("|json")[2].removeprefix("result").lstrip(".") or "the result"
    return without_marks(f"{name} …" if more else name)


def _short(value: str) -> str:
    try:
        text = json.dumps(json.loads(value), ensure_ascii=False)
    except ValueError:  # it was truncated
        text = value
    return without_marks(text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
