"""Queries for a project's assignments."""

from bisect import bisect_right
from datetime import datetime

from governance.core.texts import is_storable
from governance.delivery.domain import Rule, assignable, assigned
from governance.models import Assignment, Environment, Project


def assignment_of(environment: Environment, agent: str, tags_digest: str) -> Assignment | None:
    rows = Assignment.objects.filter(environment=environment, ended_at=None)
    return rows.select_related("bundle").filter(agent=agent, tags_digest=tags_digest).first()


def assignment_numbered(project: Project, assignment_id: int) -> Assignment | None:
    rows = Assignment.objects.select_related("bundle", "environment__project")
    return rows.filter(environment__project=project, pk=assignment_id).first()


def assignments_before(
    project: Project,
    before: int | None,
    limit: int,
    *,
    environment: str = "",
    bundle: str = "",
) -> list[Assignment]:
    """A page of active assignments, newest first."""
    rows = Assignment.objects.filter(environment__project=project, ended_at=None)
    if environment:
        rows = rows.filter(environment__name=environment)
    if bundle:
        rows = rows.filter(bundle__name=bundle) if is_storable(bundle) else rows.none()
    if before:
        rows = rows.filter(pk__lt=before)
    return list(rows.select_related("bundle", "environment").order_by("-id")[:limit])


class Assigned:
    """Assignments of one environment at any time, loaded once and queried many times."""

    def __init__(self, environment: int) -> None:
        rows = Assignment.objects.filter(environment=environment).select_related("bundle")
        self._rules = [(row.created_at, row.ended_at, rule_of(row)) for row in rows]
        self._changes = sorted(
            {at for begun, ended, _ in self._rules for at in (begun, ended) if at is not None}
        )
        self._known: dict[tuple[str, int], str | None] = {}

    def bundle_of(self, agent: str, at: datetime) -> str | None:
        """Bundle assigned then. None if there is none or it depends on tags, which calls lack."""
        if not self._rules:
            return None
        key = (agent, bisect_right(self._changes, at))
        if key not in self._known:
            rules = [
                rule
                for begun, ended, rule in self._rules
                if begun <= at and (ended is None or at < ended)
            ]
            name = assigned(rules, agent, {})
            self._known[key] = name if assignable(rules, agent) == [name] else None
        return self._known[key]


def rule_of(row: Assignment) -> Rule:
    return Rule(
        number=row.pk,
        bundle=row.bundle.name,
        agent=row.agent,
        tags=row.tags,
        priority=row.priority,
    )
