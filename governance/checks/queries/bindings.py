"""Current bindings of a project: which check applies to which calls."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from governance.checks.domain import Binding
from governance.models import CheckBindings, Project


@dataclass(frozen=True, slots=True)
class Bindings:
    """Bindings without the fixed last row. Revision 0 if the project has never saved any."""

    revision: int = 0
    lines: tuple[Binding, ...] = ()
    changed_by: str = ""
    changed_at: datetime | None = None


def bindings_of(project: Project | int) -> Bindings:
    row = CheckBindings.objects.filter(project=project).first()
    return Bindings() if row is None else bindings_in(row)


def bindings_in(row: CheckBindings) -> Bindings:
    lines = tuple(Binding(*line) for line in row.lines)
    return Bindings(row.revision, lines, row.changed_by, row.changed_at)


def lines_by_check(bindings: Bindings) -> Mapping[str, list[Binding]]:
    by_check: dict[str, list[Binding]] = {}
    for line in bindings.lines:
        by_check.setdefault(line.check, []).append(line)
    return by_check
