"""In which state sessions are at a moment: it depends on the clock and on approvals, so that no
column holds it."""

from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import BigIntegerField, Case, Q, Value, When

from outcomes.models import Session
from outcomes.sessions.queries.matching import Asking

RUNNING_FOR: Final = timedelta(minutes=5)  # since its last call
_ENDED, _RUNNING, _WAITING, _STOPPED = range(4)  # the most urgent is the greatest


def state_of(session: Session, now: datetime, asking: Asking) -> str:
    if session.stopped:
        return "stopped"
    if session in asking:
        return "waiting"
    return "running" if is_recent(session.last_at, now) else "ended"


def is_recent(last_at: datetime | None, now: datetime) -> bool:
    return last_at is not None and last_at > now - RUNNING_FOR


def in_state(now: datetime, asking: Asking) -> dict[str, Q]:
    since, waits = now - RUNNING_FOR, asking.rows()
    goes_on = ~waits if asking else Q()
    return {
        "running": Q(stopped="", last_at__gt=since) & goes_on,
        "waiting": Q(stopped="") & waits,
        "stopped": ~Q(stopped=""),
        "ended": Q(stopped="", last_at__lte=since) & goes_on,
    }


def by_state(now: datetime, asking: Asking) -> Any:
    """To sort by: how soon an operator should look at it."""
    cases = [When(~Q(stopped=""), then=Value(_STOPPED))]
    if asking:
        # The few that wait are looked up once: the index of the list does not tell who they are.
        waiting = Session.objects.filter(asking.rows()).order_by().values("pk")
        cases.append(When(pk__in=waiting, then=Value(_WAITING)))
    cases.append(When(last_at__gt=now - RUNNING_FOR, then=Value(_RUNNING)))
    return Case(*cases, default=Value(_ENDED), output_field=BigIntegerField())
