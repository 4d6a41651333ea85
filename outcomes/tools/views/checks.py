"""Checks that decide success of a tool's calls, one per matching row of the bindings."""

from collections.abc import Iterable
from dataclasses import dataclass

from governance.checks.domain import LAST, Binding, lines_judging
from governance.checks.queries.checks import Judges
from outcomes.core.scope import Scope


@dataclass(frozen=True, slots=True)
class JudgedBy:
    check: str
    version: int
    line: int | None  # number of the binding; None: the last, fixed one
    which: str  # text for the calls it applies to; empty: all that no earlier binding matches

    @property
    def is_own(self) -> bool:
        """Whether a binding assigns this check to the tool, rather than the fixed last one."""
        return self.line is not None


def judges_of(
    judges: Judges, tool: str, environments: Iterable[str], scope: Scope
) -> list[JudgedBy]:
    named = [scope.environment] if scope.environment else environments
    judged = []
    for place in lines_judging(judges.lines, tool, named, scope.agent):
        line = Binding("*", "*", "*", LAST) if place is None else judges.lines[place]
        version = judges.check_named(line.check).version
        number = None if place is None else place + 1
        judged.append(JudgedBy(line.check, version, number, _which(line)))
    return judged


def seen_of(judges: Judges) -> object:
    """Value that changes if bindings or versions of bound checks change."""
    return [(line, judges.check_named(line.check).version) for line in judges.lines]


def _which(line: Binding) -> str:
    words = [f"by {line.agent}"] if line.agent != "*" else []
    return " ".join([*words, f"in {line.environment}"] if line.environment != "*" else words)
