"""Facet counts: how many sessions each filter value matches with the other filters applied.

Sessions are counted once, in groups that agree on everything a filter can select; each count on
the page is a sum over these groups.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

STOPPED: Final = "stopped"
NO_NAME: Final = "unknown"  # limit that stopped a session

Version = tuple[str, int]  # the name of a contract and the number of its version


class Group(NamedTuple):
    """Number of sessions that share these values; an empty string or None means no value."""

    environment: str
    agent: str
    version: Version | None
    state: str
    premature: bool
    limit: str
    has: int  # bits
    sessions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Chosen filters; an empty one does not narrow the list."""

    environment: str = ""
    agent: str = ""
    contract: str = ""
    version: int | None = None  # of that contract
    state: str = ""
    limit: str = ""
    has: int = 0  # all of these bits


@dataclass(slots=True)
class Facets:
    """Session counts by filter value. A session can have several flags, so the count of a flag is
    for that flag plus the chosen ones."""

    shown: int = 0
    premature: int = 0  # in any state
    environments: Counter[str] = field(default_factory=Counter)
    agents: Counter[str] = field(default_factory=Counter)
    versions: Counter[Version] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    limits: Counter[str] = field(default_factory=Counter)
    has: Counter[int] = field(default_factory=Counter)

    @property
    def all(self) -> int:
        """Number of sessions in any state."""
        return self.states.total()

    def without_counts(self) -> "Facets":
        """The same values, all with a count of zero."""
        return Facets(
            environments=Counter(dict.fromkeys(self.environments, 0)),
            agents=Counter(dict.fromkeys(self.agents, 0)),
            versions=Counter(dict.fromkeys(self.versions, 0)),
            limits=Counter(dict.fromkeys(self.limits, 0)),
        )


def facets_of(groups: Iterable[Group], chosen: Chosen) -> Facets:
    facets, checks = Facets(), list(_checks(chosen).items())
    marks: Counter[int] = Counter()
    for group in groups:
        missed = [name for name, fits in checks if not fits(group)]
        if len(missed) > 1:
            continue
        only, sessions = missed[0] if missed else "", group.sessions
        if not only:
            facets.shown += sessions
            marks[group.has] += sessions
        if only in ("", "state"):
            facets.states[group.state] += sessions
            if group.premature:
                facets.premature += sessions
        if only in ("", "environment"):
            facets.environments[group.environment] += sessions
        if only in ("", "agent"):
            facets.agents[group.agent] += sessions
        if only in ("", "version") and group.version is not None:
            facets.versions[group.version] += sessions
        if only in ("", "limit") and group.limit:
            facets.limits[group.limit] += sessions
    for has, sessions in marks.items():
        bit = 1
        while bit <= has:
            if has & bit:
                facets.has[bit] += sessions
            bit <<= 1
    return facets


def _checks(chosen: Chosen) -> dict[str, Callable[[Group], bool]]:
    """Predicates of the chosen filters only, since there may be thousands of groups."""
    checks: dict[str, Callable[[Group], bool]] = {}
    if chosen.environment:
        checks["environment"] = lambda group: group.environment == chosen.environment
    if chosen.agent:
        checks["agent"] = lambda group: group.agent == chosen.agent
    if chosen.contract and chosen.version is not None:
        version = chosen.contract, chosen.version
        checks["version"] = lambda group: group.version == version
    elif chosen.contract:
        checks["version"] = lambda group: (
            group.version is not None and (group.version[0] == chosen.contract)
        )
    if chosen.state:
        checks["state"] = lambda group: group.state == chosen.state
    if chosen.limit:
        checks["limit"] = lambda group: group.limit == chosen.limit
    if chosen.has:
        checks["has"] = lambda group: group.has & chosen.has == chosen.has
    return checks
