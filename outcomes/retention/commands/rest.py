"""Remove data other than calls: artifacts, rollups, approvals, invalid events, audit entries."""

from typing import Final

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from governance.approvals.retention import remove_approvals
from governance.audit_log import remove_entries
from outcomes.core import artifact_store
from outcomes.database import may_remove_artifacts
from outcomes.figures.domain.rollups import day_minute
from outcomes.models import (
    Artifact,
    Call,
    CallGroup,
    GroupRollup,
    RejectedItem,
    Rollup,
    RollupMinute,
    Session,
)
from outcomes.retention.commands.steps import ROWS, Cursor, Place, Removed, Step, delete_rows
from outcomes.retention.queries.preview import due_artifacts
from outcomes.retention.queries.sizes import bytes_per_row

ARTIFACTS: Final = 50  # per step, each a file
_SUMS: Final = (Rollup, GroupRollup)


def remove_artifacts(place: Place, after: Cursor | None) -> Step:
    """Remove the content of artifacts that only due calls reference; their rows are kept as a
    record."""
    if not may_remove_artifacts():
        return Step(Removed(), None)  # a backup is reading them; the next run continues
    rows = due_artifacts(place.project.pk, place.before).filter(
        pk__gt=int(after[0]) if after else 0
    )
    locked = list(rows.select_for_update(skip_locked=True).order_by("pk")[:ARTIFACTS])
    if not locked:
        return Step(Removed(), None)
    going = [artifact for artifact in locked if not _is_held(place, artifact)]
    now = timezone.now()
    Artifact.objects.filter(pk__in=[artifact.pk for artifact in going]).update(removed_at=now)
    for artifact in going:
        artifact_store.remove(place.project.pk, artifact.sha256)
    size = sum(artifact.size_bytes for artifact in going)
    return Step(Removed(len(going), size), [locked[-1].pk])


def remove_rollups(place: Place, _: Cursor | None) -> Step:
    """Remove rollups of due days, after which nothing about those days is stored."""
    before = day_minute(place.before)
    for model in _SUMS:
        rows = model._default_manager.filter(environment=place.environment_id, start__lt=before)
        if gone := _delete_some(rows):
            return Step(Removed(gone, gone * bytes_per_row(model)), [0])
    minutes = RollupMinute.objects.filter(environment=place.environment_id, minute__lt=before)
    if gone := _delete_some(minutes):
        return Step(Removed(gone, gone * bytes_per_row(RollupMinute)), [0])
    _drop_nameless(place)
    return Step(Removed(), None)


def remove_rejected(place: Place, _: Cursor | None) -> Step:
    rows = RejectedItem.objects.filter(
        environment=place.environment_id, received_at__lt=place.before
    )
    gone = _delete_some(rows)
    return Step(Removed(gone, gone * bytes_per_row(RejectedItem)), [0] if gone else None)


def remove_ended_approvals(place: Place, _: Cursor | None) -> Step:
    assert place.environment is not None  # noqa: S101
    sessions = Session.objects.filter(pk__in=place.holds.sessions)
    held = set(sessions.values_list("session_id", flat=True))
    gone = remove_approvals(place.environment, place.before, held=held)
    return Step(Removed(gone), [0] if gone else None)


def remove_audit(place: Place, _: Cursor | None) -> Step:
    return Step(Removed(remove_entries(place.project, place.before)), None)


def _delete_some(rows: QuerySet[RejectedItem] | QuerySet[Rollup] | QuerySet[GroupRollup]
                 | QuerySet[RollupMinute]) -> int:  # fmt: skip
    numbers = list(rows.order_by().values_list("pk", flat=True)[:ROWS])
    return delete_rows(rows.model._default_manager.filter(pk__in=numbers))


def _drop_nameless(place: Place) -> None:
    """Delete groups of removed calls that no rollup references any more."""
    calls = Call.objects.filter(group=OuterRef("pk"))
    sums = GroupRollup.objects.filter(group=OuterRef("pk"))
    such = CallGroup.objects.filter(project=place.project, has_past=True)
    such.filter(~Exists(calls), ~Exists(sums)).delete()


def _is_held(place: Place, artifact: Artifact) -> bool:
    if not place.holds.any:
        return False
    calls = Call.objects.filter(artifact=artifact).values_list("pk", "session_id")
    return bool(place.holds.held_calls(list(calls)))
