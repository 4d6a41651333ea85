"""Sessions that wait for an approval; they have not ended, however long they are silent."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q

from governance.approvals.queries import waiting_approvals
from outcomes.calls.queries.approvals import calls_behind
from outcomes.models import Session
from outcomes.record.codec import digest_of

MOST_WAITING: Final = 500  # approvals; more wait nowhere for long


@dataclass(frozen=True, slots=True)
class Asking:
    """Which sessions wait: by what approvals tell, else by the calls behind them."""

    named: Collection[tuple[int, str]] = ()  # the environment and the id that the agent gave
    ids: Collection[int] = ()

    def __bool__(self) -> bool:
        return bool(self.named or self.ids)

    def __contains__(self, session: Session) -> bool:
        return session.pk in self.ids or (session.environment_id, session.session_id) in self.named

    def rows(self) -> Q:
        digests: dict[int, list[bytes]] = defaultdict(list)
        for environment, name in self.named:
            digests[environment].append(digest_of(name))
        rows = Q(pk__in=self.ids)
        for environment, those in digests.items():
            rows |= Q(environment=environment, digest__in=those)
        return rows


def asking_sessions(project_id: int, now: datetime) -> Asking:
    waiting = waiting_approvals(project_id, now, limit=MOST_WAITING)
    named = {
        (approval.environment_id, approval.session_id)
        for approval in waiting
        if approval.session_id
    }
    behind = calls_behind(project_id, [approval for approval in waiting if not approval.session_id])
    ids = {call.session_id for call in behind.values() if call.session_id is not None}
    return Asking(named, ids)
