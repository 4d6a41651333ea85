"""Session store writes not made by agents: manual resets and the removal of idle keys."""

from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE, Actor
from governance.findings import resolve_beginning
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import project_numbered
from outcomes.models import Session, SessionOwner, StoredValue
from outcomes.session_store.commands.session_store import LOWERED, subject_of
from outcomes.session_store.queries import counters_of

IDLE_FOR = timedelta(days=30)
AT_MOST = 50_000  # keys per run; the next run continues
AT_ONCE = 1_000


@transaction.atomic
def reset_counters(session: Session, *, by: Actor) -> int:
    """Reset a session's counters and return how many there were. Workflow state and
    reports are kept."""
    refuse_unless(by, Action.RESET_SESSION)
    name = session.environment.name
    # Resetting a session counts as handling its alert about lowered counters.
    beginning = subject_of(name, f"s:{session.session_id}:")
    resolve_beginning(session.project_id, LOWERED, beginning)
    counters = counters_of(session)
    if not counters:
        return 0
    StoredValue.objects.filter(
        environment=session.environment_id, digest__in=[counter.digest for counter in counters]
    ).delete()
    details: dict[str, Detail] = {"environment": name}
    details |= {counter.name: counter.value for counter in counters if not counter.tool}
    details["tools"] = sum(bool(counter.tool) for counter in counters)
    record(by, "reset a session", session.session_id, project=session.project, details=details)
    return len(counters)


def remove_idle_values() -> int:
    """Remove keys not written for `IDLE_FOR`, and return how many there were.

    While an agent still writes any key of a session, all keys of that session are kept.
    """
    idle = _idle()
    places: dict[tuple[int, str, int], list[bytes]] = {}
    columns = ("environment__project", "environment__name", "environment", "digest")
    for *place, digest in idle.values_list(*columns)[:AT_MOST]:
        places.setdefault((place[0], place[1], place[2]), []).append(bytes(digest))
    removed = sum(
        _remove(idle.filter(environment=environment, digest__in=some), project, name)
        for (project, name, environment), digests in sorted(places.items())
        for some in (digests[at : at + AT_ONCE] for at in range(0, len(digests), AT_ONCE))
    )
    _remove_idle_owners()
    return removed


@transaction.atomic
def _remove(idle: QuerySet[StoredValue], project: int, environment: str) -> int:
    removed = idle.delete()[0]
    if removed:
        details: dict[str, Detail] = {"environment": environment, "keys": removed}
        record(
            CONSOLE,
            "idle session keys removed",
            f"{removed:,} not written for {IDLE_FOR.days} days",
            project=project_numbered(project),
            details=details,
        )
    return removed


def _remove_idle_owners() -> None:
    """Remove owners of sessions that no longer hold any keys."""
    since = datetime.now(UTC).date() - IDLE_FOR
    stored = StoredValue.objects.filter(
        environment=OuterRef("environment"), session=OuterRef("session")
    )
    SessionOwner.objects.filter(~Exists(stored), used_on__lt=since).delete()


def _idle() -> QuerySet[StoredValue]:
    since = datetime.now(UTC).date() - IDLE_FOR
    in_use = StoredValue.objects.filter(
        environment=OuterRef("environment"), session=OuterRef("session"), used_on__gte=since
    )
    return StoredValue.objects.filter(~Exists(in_use), used_on__lt=since)
