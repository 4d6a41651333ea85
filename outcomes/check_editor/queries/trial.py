"""Try a draft of a check on recorded results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Final

from governance.checks.language.matcher import Explanation
from governance.checks.language.named import NamedCheck
from governance.checks.queries.checks import Judges
from governance.core.compiled_check import Compiled
from governance.core.json_value import Json
from outcomes.artifacts.queries.outputs import outputs_of
from outcomes.reclassification.classifying import ARTIFACT
from outcomes.record.call_columns import Row
from outcomes.record.classification import (
    PART,
    PART_RULE,
    Classification,
    Unreadable,
    in_doubt,
    judged_by,
)
from outcomes.record.outcome import NotReported
from outcomes.suggestions.domain.shapes import shape_of
from outcomes.suggestions.domain.trials import Result, Tried

SECONDS: Final = 2.0  # a slower draft is tried on as many results as fit in this time

ReadArtifact = Callable[[str], Json | Unreadable]


@dataclass(frozen=True, slots=True)
class Read:
    results: list[Result]
    unread: dict[str, int]  # outputs that cannot be shown, counted by reason


def read_results(rows: Sequence[Row], environments: Mapping[int, str], read: ReadArtifact) -> Read:
    recorded = outputs_of(rows)
    results, unread = [], dict[str, int]()
    for row in rows:
        output = read(row.artifact_name) if row.kind == ARTIFACT else recorded.outputs[row.id]
        if isinstance(output, NotReported | Unreadable):
            why = output.reason if isinstance(output, Unreadable) else "It was not reported."
            unread[why] = unread.get(why, 0) + 1
            continue
        result = Result(
            call=row.id,
            call_id=row.call_id,
            environment=environments.get(row.environment, ""),
            agent=row.agent,
            tool=row.tool,
            at=row.at,
            elapsed_ms=row.elapsed_ms,
            output=output,
            is_cut=row.id in recorded.cut,
        )
        results.append(result)
    return Read(results, unread)


def tried_on(
    results: Sequence[Result],
    compiled: Compiled | None,
    *,
    newest: Compiled | None,
    judges: Judges,
) -> list[Tried]:
    """Verdicts of the draft, the newest version and the bound check; without `compiled`, only of
    the last two."""
    check = NamedCheck(compiled) if compiled else None
    before = NamedCheck(newest) if newest else None
    until, tried = monotonic() + SECONDS, []
    for each in results:
        if monotonic() > until:
            break
        bound = judges.check_for(each.environment, each.agent, each.tool)
        present = judged_by(bound, each.tool, each.output, each.elapsed_ms)
        if each.is_cut:
            present = in_doubt(present)
        tried.append(
            Tried(
                result=each,
                shape=shape_of(each.output),
                explanation=_explained(check, each) if check else None,
                before=_explained(before, each).verdict if before else None,
                bound=present.verdict.value if isinstance(present, Classification) else None,
                bound_check=bound.name,
            )
        )
    return tried


def _explained(check: NamedCheck, result: Result) -> Explanation:
    explanation = check.explain(result.tool, result.output, result.elapsed_ms)
    if not result.is_cut:
        return explanation
    if explanation.verdict != "success":
        return explanation._replace(cut=True)
    return Explanation("unknown", PART_RULE, reason=PART, cut=True)
