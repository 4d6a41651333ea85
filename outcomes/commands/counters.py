"""What happens to the session store beside agents: a person's reset, and the end of idle keys."""

from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from governance.audit import Detail, record
from governance.domain.actor import Actor
from governance.policies import Action, refuse_unless
from outcomes import queries
from outcomes.models import Session, StoredValue

IDLE_FOR = timedelta(days=30)
AT_MOST = 50_000  # of one run; the next goes on
AT_ONCE = 1_000


@transaction.atomic
def reset_counters(session: Session, *, by: Actor) -> int:
    """Let a session count from zero again, and tell how many counters it had.

    What workflows keep stays, and so does all that was reported.
    """
    refuse_unless(by, Action.RESET_SESSION)
    counters = queries.counters_of(session)
    if not counters:
        return 0
    StoredValue.objects.filter(
        environment=session.environment_id, digest__in=[each.digest for each in counters]
    ).delete()
    details: dict[str, Detail] = {"environment": session.environment.name}
    details |= {each.name: each.value for each in counters if not each.tool}
    details["tools"] = sum(bool(each.tool) for each in counters)
    record(by, "reset a session", session.session_id, project=session.project, details=details)
    return len(counters)


def remove_idle_values() -> int:
    """Remove what nobody has written to for so long, and tell how many keys that were.

    As long as an agent counts anything in a session, the rest of that session stays too.
    """
    idle = _idle()
    places: dict[int, list[bytes]] = {}
    for environment, digest in idle.values_list("environment", "digest")[:AT_MOST]:
        places.setdefault(environment, []).append(bytes(digest))
    removed = 0
    for environment, digests in places.items():
        for start in range(0, len(digests), AT_ONCE):
            with transaction.atomic():
                some = idle.filter(
                    environment=environment, digest__in=digests[start : start + AT_ONCE]
                )
                removed += some.delete()[0]
    return removed


def _idle() -> QuerySet[StoredValue]:
    since = datetime.now(UTC).date() - IDLE_FOR
    in_use = StoredValue.objects.filter(
        environment=OuterRef("environment"), session=OuterRef("session"), used_on__gte=since
    )
    return StoredValue.objects.filter(~Exists(in_use), used_on__lt=since)
