"""What other checks say of recorded calls: those that are bound now, or a text in their place."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from governance.domain.success import SuccessCheck, Verdict
from governance.queries import Judges
from outcomes.codec import Verdicts, verdicts_of
from outcomes.domain.classification import (
    Classification,
    NotChecked,
    Unreadable,
    disagrees,
    effective,
    judged_by,
)
from outcomes.domain.outcome import NOT_REPORTED, NotReported, ToolArtifactReference
from outcomes.domain.rejudging.flips import Said
from outcomes.rejudging.choosing import Row
from outcomes.rejudging.outputs import Output

ARTIFACT: Final = ToolArtifactReference.kind
NO_OUTPUT: Final = "No result was reported."
OVERTAKEN: Final = "It changed while this ran, and was judged then."
_VERDICTS: Final = {verdict.value: verdict for verdict in Verdict}

# By environment, agent and tool; none: this call is not one of those that are judged anew.
CheckFor = Callable[[str, str, str], SuccessCheck | None]
ReadArtifact = Callable[[str], Output | Unreadable]


def of_bindings(judges: Judges) -> CheckFor:
    return judges.check_for


def of_text(check: SuccessCheck, judges: Judges | None) -> CheckFor:
    """In the place of the check of its name, or of whichever there is."""

    def check_for(environment: str, agent: str, tool: str) -> SuccessCheck | None:
        bound = judges is None or judges.check_for(environment, agent, tool).name == check.name
        return check if bound else None

    return check_for


@dataclass(frozen=True, slots=True)
class Judged:
    said: Said
    verdicts: Verdicts | None  # the columns of the row; none: no check has a say in it
    checked: bool = False

    def left(self) -> "Judged":
        """As it is told where nothing was written."""
        return Judged(Said(self.said.before, self.said.before, not_checked=OVERTAKEN), None)


@dataclass(frozen=True, slots=True)
class Judging:
    check_for: CheckFor
    environments: dict[int, str]

    def judge(self, row: Row, outputs: dict[int, Output], read: ReadArtifact) -> Judged | None:
        """None: not one of those that are judged anew."""
        check = self.check_for(self.environments.get(row.environment, ""), row.agent, row.tool)
        if check is None:
            return None
        before = _VERDICTS[row.verdict]
        output = read(row.artifact_name) if row.kind == ARTIFACT else _of(row, outputs)
        if isinstance(output, NotReported):
            reason = NO_OUTPUT if row.kind in ("execution_result", ARTIFACT) else ""
            return Judged(Said(before, before, not_checked=reason), None)
        if isinstance(output, Unreadable) and output.is_fault:
            return Judged(Said(before, before, not_checked=output.reason), None)
        if isinstance(output, Unreadable):
            return self._judged(row, before, NotChecked(output.reason))
        return self._judged(row, before, judged_by(check, row.tool, output, row.elapsed_ms))

    def _judged(self, row: Row, before: Verdict, told: Classification | NotChecked) -> Judged:
        classified = told.verdict if isinstance(told, Classification) else None
        after, checked = effective(classified, _VERDICTS.get(row.reported), ran=True)
        said = (
            Said(before, after or before, told.check or "", told.rule or "")
            if isinstance(told, Classification)
            else Said(before, after or before, not_checked=told.reason)
        )
        return Judged(said, verdicts_of(told), checked)


def _of(row: Row, outputs: dict[int, Output]) -> Output:
    return outputs.get(row.id, NOT_REPORTED)


def disagreement(reported: str, verdicts: Verdicts) -> bool:
    return disagrees(_VERDICTS.get(reported), _VERDICTS.get(verdicts.classified))
