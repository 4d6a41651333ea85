"""Sessions that wait for an approval: however long they are silent, they have not ended."""

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

LOOKED_THROUGH: Final = 500  # approvals; more wait nowhere for long


@dataclass(frozen=True, slots=True)
class Asking:
    """Which sessions wait: by what approvals tell, else by the calls behind them."""

    told: Collection[tuple[int, str]] = ()  # the environment and the id that the agent gave
    found: Collection[int] = ()

    def __bool__(self) -> bool:
        return bool(self.told or self.found)

    def __contains__(self, session: Session) -> bool:
        return session.pk in self.found or (session.environment_id, session.session_id) in self.told

    def rows(self) -> Q:
        digests: dict[int, list[bytes]] = defaultdict(list)
        for environment, name in self.told:
            digests[environment].append(digest_of(name))
        rows = Q(pk__in=self.found)
        for environment, those in digests.items():
            rows |= Q(environment=environment, digest__in=those)
        return rows


def asking_sessions(project_id: int, now: datetime) -> Asking:
    waiting = waiting_approvals(project_id, now, limit=LOOKED_THROUGH)
    told = {(each.environment_id, each.session_id) for each in waiting if each.session_id}
    behind = calls_behind(project_id, [each for each in waiting if not each.session_id])
    found = {call.session_id for call in behind.values() if call.session_id is not None}
    return Asking(told, found)
