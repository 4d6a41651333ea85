"""Targets of all streams of one environment, from one set of queries."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from governance.delivery.domain import Rule, assigned
from governance.delivery.news import Place
from governance.delivery.queries.documents import ServedDocument, assignment_rules, served_document
from governance.models import AnnouncedAssignment, Bundle, Deployment, Stop

Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRequest:
    """An agent's request for a stream, with the restrictions of its key."""

    place: Place
    environment: str
    key_id: int
    agent: str
    bundle: str  # empty: it names none
    dialect: str
    tags: Mapping[str, str] = field(default_factory=dict)
    revision: str = ""  # hash of the document last sent to it
    watches: bool = False  # the client picks its own from all bundles
    assigned_only: bool = False
    by_assignment: bool = False  # set once resolved: the bundle is its assignment


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Target of a stream: the agent's own document, and others that it may follow."""

    document: ServedDocument | None = None
    others: tuple[ServedDocument, ...] = ()
    by_assignment: bool = False


class TargetResolver:
    """Resolves targets for many agents of a place, with shared data loaded once."""

    def __init__(self, place: Place, requests: Sequence[StreamRequest]) -> None:
        self._place = place
        self._rules: list[Rule] = assignment_rules(*place)
        self._stopped = _stopped(place.environment_id)
        self._announced = announced_assignments(
            place.environment_id,
            {request.agent for request in requests if not request.by_assignment},
        )
        self._known = _known(place.project_id, {request.bundle for request in requests} - {""})
        self._deployed = _deployed(place) if any(request.watches for request in requests) else []
        self._documents: dict[tuple[str, str, bool], ServedDocument | None] = {}
        self._assigned: dict[tuple[str, frozenset[tuple[str, str]]], str | None] = {}
        self._targets: dict[tuple[Any, ...], Target | None] = {}

    def of(self, request: StreamRequest) -> Target | None:
        """Target of one stream; None if the agent names a bundle that it can't have."""
        bundle = self._assigned_to(request) if self._rules else None
        by_assignment = request.by_assignment or (request.agent, request.bundle) in self._announced
        is_stopped = self._is_stopped(
            request
        )  # a stop applies to any agent it names, even without a bundle
        # Thousands of requests share these values.
        common = (request.bundle, bundle, by_assignment, is_stopped)
        key = (*common, request.dialect, request.watches, request.assigned_only)
        if key not in self._targets:
            self._targets[key] = self._target(
                request, bundle, by_assignment=by_assignment, is_stopped=is_stopped
            )
        return self._targets[key]

    def _assigned_to(self, request: StreamRequest) -> str | None:
        return once(
            self._assigned,
            (request.agent, frozenset(request.tags.items())),
            lambda: assigned(self._rules, request.agent, request.tags),
        )

    def _target(
        self, request: StreamRequest, bundle: str | None, *, by_assignment: bool, is_stopped: bool
    ) -> Target | None:
        if request.bundle and not by_assignment:
            foreign = request.bundle not in self._known or (
                request.assigned_only and request.bundle != bundle
            )
            if foreign and not is_stopped:
                return None
            by_assignment = request.assigned_only
            bundle = request.bundle
        elif not bundle and (is_stopped or not request.assigned_only):
            bundle = request.bundle  # nothing is assigned any more: it keeps its bundle
        # A watching client fetches by name, and ignores a document without one.
        has_one = bundle or (is_stopped and not request.watches)
        document = self._document(bundle or "", request) if has_one else None
        others: Iterable[str] = ()
        if request.watches and (is_stopped or not request.assigned_only):
            others = (name for name in self._deployed if name != bundle)
        return Target(
            document=document,
            others=tuple(other for name in others if (other := self._document(name, request))),
            by_assignment=by_assignment or not request.bundle,
        )

    def new_announcements(
        self, requests: Iterable[StreamRequest], targets: Iterable[Target | None]
    ) -> set[tuple[str, str]]:
        """Agent and bundle of each assignment announced for the first time."""
        announced = {
            (request.agent, target.document.bundle_name)
            for request, target in zip(requests, targets, strict=True)
            if target is not None
            and target.document is not None
            and target.by_assignment
            and request.bundle != target.document.bundle_name
        }
        return announced - self._announced.keys()

    def announced_before(self, at: datetime) -> set[str]:
        """Agents with an assignment announced before that time."""
        return {agent for (agent, _), at_time in self._announced.items() if at_time < at}

    def _document(self, bundle: str, request: StreamRequest) -> ServedDocument | None:
        # All stopped agents get the same document, and so do all others.
        return once(
            self._documents,
            (bundle, request.dialect, self._is_stopped(request)),
            lambda: served_document(*self._place, bundle, request.agent, request.dialect),
        )

    def _is_stopped(self, request: StreamRequest) -> bool:
        return not self._stopped.isdisjoint(("", request.agent))


def once(cache: dict[Key, Value], key: Key, make: Callable[[], Value]) -> Value:
    if key not in cache:
        cache[key] = make()
    return cache[key]


def announced_assignments(
    environment_id: int, agents: Iterable[str]
) -> dict[tuple[str, str], datetime]:
    """Time at which each assignment was announced, by agent and bundle."""
    rows = AnnouncedAssignment.objects.filter(environment=environment_id, agent__in=agents)
    return {
        (agent, bundle): at for agent, bundle, at in rows.values_list("agent", "bundle_name", "at")
    }


def _stopped(environment_id: int) -> frozenset[str]:
    """Names of stopped agents; an empty name is the whole environment."""
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
