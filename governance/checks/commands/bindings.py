"""Bindings: the list is replaced as a whole, and only at the revision that the client read."""

import re
from collections.abc import Iterator, Sequence

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.checks.domain import MOST_LINES, Binding
from governance.checks.queries.bindings import Bindings, bindings_in
from governance.checks.queries.checks import missing_checks
from governance.core.actor import Actor, shown
from governance.core.errors import Conflict, InvalidInput, Problem
from governance.core.texts import is_storable
from governance.models import CheckBindings, Project
from governance.models.projects import ENVIRONMENT_NAME
from governance.people.commands.requirements import environment_named
from governance.people.policies import Action, refuse_unless

LONGEST = {"environment": 128, "agent": 128, "tool": 1_024}  # limits of the fields that they match


class BindingsMovedOn(Conflict):
    """The bindings changed in the meantime; `present` has the current ones."""

    code = "moved_on"

    def __init__(self, present: Bindings) -> None:
        super().__init__(
            f"{shown(present.changed_by)} changed the bindings in the meantime, to revision "
            f"{present.revision}. Check them and save again."
        )
        self.present = present


def bind(
    project: Project, lines: Sequence[Binding], *, revision: int | None = None, by: Actor
) -> Bindings:
    """Replace all bindings by these, in this order. An unchanged list is not logged.

    Raises `BindingsMovedOn` if `revision` is given and isn't the current one.
    """
    refuse_unless(by, Action.WRITE_BINDING)
    _refuse_unfit(project, lines)
    with transaction.atomic():
        row, _ = CheckBindings.objects.select_for_update().get_or_create(project=project)
        present = bindings_in(row)
        if revision is not None and revision != present.revision:
            raise BindingsMovedOn(present)
        if present.lines == tuple(lines):
            return present
        for name in sorted({line.environment for line in lines if _is_a_name(line.environment)}):
            environment_named(project, name)
        row.lines = [[*line.globs, line.check] for line in lines]
        row.revision += 1
        row.changed_by, row.changed_at = str(by)[:254], timezone.now()
        row.save()
        details: dict[str, Detail] = {
            "revision": row.revision,
            "was": [str(line) for line in present.lines],
            "lines": [str(line) for line in lines],
        }
        record(by, "bindings changed", project.name, project=project, details=details)
    return bindings_in(row)


def _refuse_unfit(project: Project, lines: Sequence[Binding]) -> None:
    if len(lines) > MOST_LINES:
        raise InvalidInput(f"A project has at most {MOST_LINES} bindings.")
    absent = missing_checks(project, {line.check for line in lines})
    problems = [
        Problem(path=f"bindings[{place}].{field}", message=message)
        for place, line in enumerate(lines)
        for field, message in _unfit(line, absent)
    ]
    if problems:
        raise InvalidInput(f"{problems[0].path}: {problems[0].message}", errors=problems)


def _unfit(line: Binding, absent: set[str]) -> Iterator[tuple[str, str]]:
    for (field, longest), glob in zip(LONGEST.items(), line.globs, strict=True):
        if not 0 < len(glob) <= longest or not is_storable(glob):
            yield field, f"Enter 1 to {longest:,} characters without NUL. * matches anything."
    if not _has_wildcard(line.environment) and not _is_a_name(line.environment):
        yield "environment", "No environment can have this name, so the binding would never apply."
    if not line.check:
        yield "check", "Choose a check."
    elif line.check in absent:
        yield "check", f"No check `{line.check[:128]}`."


def _has_wildcard(glob: str) -> bool:
    return "*" in glob or "?" in glob


def _is_a_name(glob: str) -> bool:
    return re.match(ENVIRONMENT_NAME, glob) is not None
