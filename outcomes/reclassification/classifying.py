"""Verdicts on recorded calls by the checks bound now, or by a draft in their place."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from governance.checks.domain import DEFAULT, SuccessCheck
from governance.checks.queries.checks import Judges
from governance.core.verdict import Verdict
from outcomes.artifacts.queries.outputs import Output, Recorded
from outcomes.reclassification.domain.flips import VerdictChange
from outcomes.record.call_columns import Row
from outcomes.record.classification import (
    Classification,
    DecidedBy,
    NotChecked,
    Unreadable,
    disagrees,
    effective,
    in_doubt,
    judged_by,
)
from outcomes.record.codec import Verdicts, verdicts_of
from outcomes.record.outcome import NOT_REPORTED, NotReported, Removed, ToolArtifactReference

ARTIFACT: Final = ToolArtifactReference.kind
NO_OUTPUT: Final = "No result was reported."
REMOVED_OUTPUT: Final = "Retention removed the output. The verdict stays as it was."
OVERTAKEN: Final = "It changed during this run and was checked then."
_VERDICTS: Final = {verdict.value: verdict for verdict in Verdict}

# From environment, agent and tool to a check; None: the call keeps its verdict.
CheckFor = Callable[[str, str, str], SuccessCheck | None]
ReadArtifact = Callable[[str], Output | Unreadable]


def checks_by_binding(judges: Judges) -> CheckFor:
    return judges.check_for


def check_by_text(check: SuccessCheck, judges: Judges | None) -> CheckFor:
    """Lookup that returns this check for calls bound to its name, or for all calls if no bindings
    are given."""

    def check_for(environment: str, agent: str, tool: str) -> SuccessCheck | None:
        bound = judges is None or judges.check_for(environment, agent, tool).name == check.name
        return check if bound else None

    return check_for


@dataclass(frozen=True, slots=True)
class Judged:
    change: VerdictChange
    verdicts: Verdicts | None  # columns to write; None: no check decides this call
    decided_by: DecidedBy = ""
    disagreement: bool = False

    @property
    def checked(self) -> bool:
        return self.verdicts is not None and self.verdicts.classified != ""

    def left(self) -> "Judged":
        """Result for a call that was not written because it changed meanwhile."""
        return Judged(
            VerdictChange(self.change.before, self.change.before, not_checked=OVERTAKEN), None
        )


@dataclass(frozen=True, slots=True)
class Judging:
    check_for: CheckFor
    environments: dict[int, str]

    def judge(self, row: Row, recorded: Recorded, read: ReadArtifact) -> Judged | None:
        """Verdict of the other check; None if the call is not covered by it."""
        check = self.check_for(self.environments.get(row.environment, ""), row.agent, row.tool)
        if check is None:
            return None
        before = _VERDICTS[row.verdict]
        output = read(row.artifact_name) if row.kind == ARTIFACT else _output(row, recorded)
        if isinstance(output, NotReported):
            reason = NO_OUTPUT if row.kind in ("execution_result", ARTIFACT) else ""
            if isinstance(output, Removed):
                reason = REMOVED_OUTPUT
            return Judged(VerdictChange(before, before, not_checked=reason), None)
        if isinstance(output, Unreadable) and output.is_fault:
            return Judged(VerdictChange(before, before, not_checked=output.reason), None)
        classification = (
            NotChecked(output.reason)
            if isinstance(output, Unreadable)
            else judged_by(check, row.tool, output, row.elapsed_ms)
        )
        if row.id in recorded.cut:
            classification = in_doubt(classification)
        is_bound, own_check = check is not DEFAULT, row.id in recorded.own_checks
        return _judged(row, classification, is_bound=is_bound, own_check=own_check)


def _judged(
    row: Row, classification: Classification | NotChecked, *, is_bound: bool, own_check: bool
) -> Judged:
    before, reported = _VERDICTS[row.verdict], _VERDICTS.get(row.reported)
    classified = None if isinstance(classification, NotChecked) else classification.verdict
    verdict, decided_by = effective(
        row.kind, classified, reported, is_bound=is_bound, own_check=own_check
    )
    after = verdict or before
    if isinstance(classification, NotChecked):
        change = VerdictChange(before, after, not_checked=classification.reason)
    else:
        check, rule = classification.check or "", classification.rule or ""
        by_agent, cut = decided_by == "agent", classification.cut
        change = VerdictChange(before, after, check, rule, by_agent=by_agent, cut=cut)
    return Judged(change, verdicts_of(classification), decided_by, disagrees(reported, verdict))


def _output(row: Row, recorded: Recorded) -> Output:
    return recorded.outputs.get(row.id, NOT_REPORTED)
