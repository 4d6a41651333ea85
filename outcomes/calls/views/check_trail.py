"""Rules of the check that classified a call, evaluated again up to the one that decided."""

from dataclasses import dataclass, replace
from typing import Final

from governance.checks.authoring.trail import Saw, Step, trail
from governance.checks.queries.checks import compiled_of
from governance.core.masking import Masking
from governance.core.verdict import Verdict
from outcomes.record.outcome import NotReported, ToolExecutionResult
from outcomes.stored.queries import StoredCall

FEW: Final = 5  # rules shown above the deciding one without a click


@dataclass(frozen=True, slots=True)
class Before:
    """Rules before the deciding one: expanded if the verdict is a failure, else collapsed."""

    steps: list[Step]
    are_open: bool


def rules_before(call: StoredCall, masking: Masking) -> Before | None:
    """Rules before the deciding one; None if the output or check is missing, or if another rule
    decides now."""
    row, outcome = call.row, call.folded.outcome
    if not row.check_name or not isinstance(outcome, ToolExecutionResult):
        return None
    if isinstance(outcome.output, NotReported):
        return None
    compiled = compiled_of(row.project_id, row.check_name, row.check_version)
    if compiled is None:
        return None
    steps = trail(compiled, row.tool.name, outcome.output, row.elapsed_ms)
    if not steps or not steps[-1].decides or steps[-1].rule != row.check_rule:
        return None
    before = [_shown(step, masking) for step in steps[:-1]]
    return Before(before, are_open=row.classified == Verdict.FAILURE and len(before) <= FEW)


def _shown(step: Step, masking: Masking) -> Step:
    return replace(step, saw=tuple(Saw(saw.selector, _seen(saw, masking)) for saw in step.saw))


def _seen(saw: Saw, masking: Masking) -> str:
    return saw.value and masking.written(saw.selector, saw.value)
