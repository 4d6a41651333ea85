"""What those who hold a stream of one environment are to have, for all of them in one go."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from governance.delivery.domain.assignments import Rule, assigned
from governance.delivery.news import Place
from governance.delivery.queries.documents import ServedDocument, assignment_rules, served_document
from governance.models import Bundle, Deployment, Stop, ToldAssignment

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What an agent says when it opens a stream, and what its key makes of that."""

    place: Place
    environment: str
    key_id: int
    agent: str
    bundle: str  # empty: it names none
    dialect: str
    tags: Mapping[str, str] = field(default_factory=dict)
    revision: str = ""  # the hash of the document that it was sent last
    watches: bool = False  # it looks itself which of all bundles is its own
    assigned_only: bool = False
    by_assignment: bool = False  # found out: the bundle is what it is assigned


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What an agent is to have: its own document, and those that it may look for besides."""

    document: ServedDocument | None = None
    others: tuple[ServedDocument, ...] = ()
    by_assignment: bool = False


class Standings:
    """Reads once what many agents of a place have in common."""

    def __init__(self, place: Place, asked: Sequence[Asked]) -> None:
        self._place = place
        self._rules: list[Rule] = assignment_rules(*place)
        self._stopped = _stopped(place.environment_id)
        self._told = told_assignments(
            place.environment_id, {ask.agent for ask in asked if not ask.by_assignment}
        )
        self._known = _known(place.project_id, {ask.bundle for ask in asked} - {""})
        self._deployed = _deployed(place) if any(ask.watches for ask in asked) else []
        self._documents: dict[tuple[str, str, bool], ServedDocument | None] = {}
        self._assigned: dict[tuple[str, frozenset[tuple[str, str]]], str | None] = {}
        self._standings: dict[tuple[Any, ...], Standing | None] = {}

    def of(self, ask: Asked) -> Standing | None:
        """None where the agent names what it cannot have."""
        bundle = self._assigned_to(ask) if self._rules else None
        by_assignment = ask.by_assignment or (ask.agent, ask.bundle) in self._told
        is_stopped = self._is_stopped(ask)  # whom a stop names, it answers, whatever it may have
        # Thousands differ in nothing else.
        alike = (ask.bundle, bundle, by_assignment, is_stopped)
        key = (*alike, ask.dialect, ask.watches, ask.assigned_only)
        if key not in self._standings:
            self._standings[key] = self._standing(
                ask, bundle, by_assignment=by_assignment, is_stopped=is_stopped
            )
        return self._standings[key]

    def _assigned_to(self, ask: Asked) -> str | None:
        return once(
            self._assigned,
            (ask.agent, frozenset(ask.tags.items())),
            lambda: assigned(self._rules, ask.agent, ask.tags),
        )

    def _standing(
        self, ask: Asked, bundle: str | None, *, by_assignment: bool, is_stopped: bool
    ) -> Standing | None:
        if ask.bundle and not by_assignment:
            foreign = ask.bundle not in self._known or (ask.assigned_only and ask.bundle != bundle)
            if foreign and not is_stopped:
                return None
            by_assignment = ask.assigned_only
            bundle = ask.bundle
        elif not bundle and (is_stopped or not ask.assigned_only):
            bundle = ask.bundle  # nothing is assigned any more: it stays with what it has
        # One that watches asks for what it hears of by name, and takes nothing without one.
        has_one = bundle or (is_stopped and not ask.watches)
        document = self._document(bundle or "", ask) if has_one else None
        others: Iterable[str] = ()
        if ask.watches and (is_stopped or not ask.assigned_only):
            others = (name for name in self._deployed if name != bundle)
        return Standing(
            document=document,
            others=tuple(found for name in others if (found := self._document(name, ask))),
            by_assignment=by_assignment or not ask.bundle,
        )

    def told_anew(
        self, asked: Iterable[Asked], standings: Iterable[Standing | None]
    ) -> set[tuple[str, str]]:
        """Agents, each with the bundle that it is told to be its assignment for the first time."""
        told = {
            (ask.agent, standing.document.bundle_name)
            for ask, standing in zip(asked, standings, strict=True)
            if standing is not None
            and standing.document is not None
            and standing.by_assignment
            and ask.bundle != standing.document.bundle_name
        }
        return told - self._told.keys()

    def told_before(self, at: datetime) -> set[str]:
        """Agents that ask now, and were told of an assignment before that time."""
        return {agent for (agent, _), told_at in self._told.items() if told_at < at}

    def _document(self, bundle: str, ask: Asked) -> ServedDocument | None:
        # All who are not stopped are served the same, and so are all who are.
        return once(
            self._documents,
            (bundle, ask.dialect, self._is_stopped(ask)),
            lambda: served_document(*self._place, bundle, ask.agent, ask.dialect),
        )

    def _is_stopped(self, ask: Asked) -> bool:
        return not self._stopped.isdisjoint(("", ask.agent))


def once(kept: dict[Key, Value], key: Key, make: Callable[[], Value]) -> Value:
    if key not in kept:
        kept[key] = make()
    return kept[key]


def told_assignments(environment_id: int, agents: Iterable[str]) -> dict[tuple[str, str], datetime]:
    """Of these agents, each with every bundle that it was told to be its assignment."""
    rows = ToldAssignment.objects.filter(environment=environment_id, agent__in=agents)
    return {
        (agent, bundle): at for agent, bundle, at in rows.values_list("agent", "bundle_name", "at")
    }


def _stopped(environment_id: int) -> frozenset[str]:
    """By name those who are stopped; the empty one is the whole environment."""
    rows = Stop.objects.filter(environment=environment_id, lifted_at=None)
    return frozenset(rows.values_list("agent", flat=True))


def _known(project_id: int, names: set[str]) -> frozenset[str]:
    rows = Bundle.objects.filter(project=project_id, name__in=names)
    return frozenset(rows.values_list("name", flat=True))


def _deployed(place: Place) -> list[str]:
    rows = Deployment.objects.filter(
        environment=place.environment_id, version__bundle__project=place.project_id
    )
    return list(
        rows.order_by("version__bundle__name")
        .values_list("version__bundle__name", flat=True)
        .distinct()
    )
