"""Which checks judge the calls of a tool, and by which lines of the bindings."""

from collections.abc import Iterable
from dataclasses import dataclass

from governance.checks.domain.bindings import LAST, Binding, lines_judging
from governance.checks.queries.selection import Judges
from outcomes.core.scope import Scope


@dataclass(frozen=True, slots=True)
class JudgedBy:
    check: str
    version: int
    line: int | None  # its number in the bindings; none: the last one, which is fixed
    which: str  # of its calls, in words; empty: all that the lines before leave

    @property
    def is_own(self) -> bool:
        """Whether somebody gave it this check."""
        return self.line is not None


def judges_of(
    judges: Judges, tool: str, environments: Iterable[str], scope: Scope
) -> list[JudgedBy]:
    asked = [scope.environment] if scope.environment else environments
    found = []
    for place in lines_judging(judges.lines, tool, asked, scope.agent):
        line = Binding("*", "*", "*", LAST) if place is None else judges.lines[place]
        version = judges.check_named(line.check).version
        number = None if place is None else place + 1
        found.append(JudgedBy(line.check, version, number, _which(line)))
    return found


def seen_of(judges: Judges) -> object:
    """Differs when another check judges, or another version of one."""
    return [(line, judges.check_named(line.check).version) for line in judges.lines]


def _which(line: Binding) -> str:
    said = [f"by {line.agent}"] if line.agent != "*" else []
    return " ".join([*said, f"in {line.environment}"] if line.environment != "*" else said)
