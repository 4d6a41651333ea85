"""Calls that belong to a contract: what other contracts denied says nothing about its rules."""

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils import timezone

from governance.contracts.queries.versions import versions_of
from governance.delivery.queries.assignments import Assigned
from outcomes.backtesting.replay.rows import Row
from outcomes.backtesting.replay.selection import Selection

Who = tuple[int, str]  # environment and agent


@dataclass(frozen=True, slots=True)
class Own:
    """A contract's own calls: those that one of its versions governed, those of agents assigned to
    it now, and calls under an unknown version by agents that have run it."""

    versions: frozenset[int]
    running: frozenset[Who]
    assigned: frozenset[Who]

    def __bool__(self) -> bool:
        """Whether the contract has any calls."""
        return bool(self.running or self.assigned)

    def has(self, row: Row) -> bool:
        if row.version in self.versions:
            return True
        who = (row.environment, row.agent)
        return who in self.assigned or (row.version is None and who in self.running)


def own_calls(selection: Selection, bundle: str) -> Own:
    """Calls of this period that ran under the contract; other criteria are applied separately."""
    versions = versions_of(selection.project, bundle)
    under = Count("id", filter=Q(version__in=versions))
    pairs = selection.calls().order_by().values_list("environment", "agent__name")
    seen = {(environment, agent): runs for environment, agent, runs in pairs.annotate(runs=under)}
    now = timezone.now()
    rules = {environment: Assigned(environment) for environment, _ in seen}
    return Own(
        versions,
        frozenset(who for who, runs in seen.items() if runs),
        frozenset(who for who in seen if rules[who[0]].bundle_of(who[1], now) == bundle),
    )
