"""Target state of a project's agents, loaded once for many agents."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Exists, OuterRef, Value

from governance.core.actor import shown
from governance.delivery.domain import STOPPED_HASHES, Rule, assignable, fitting
from governance.models import Assignment, BundleVersion, Deployment, Rendering, Stop

MOST = 5_000  # hashes per query; a normal fleet runs dozens


@dataclass(frozen=True, slots=True)
class Named:
    """Contract name and number of a version."""

    bundle: str
    number: int


@dataclass(frozen=True, slots=True)
class Stopped:
    """Active stop."""

    id: int
    environment: str
    agent: str  # empty: the whole environment
    author: str
    at: datetime


class InForce:
    """Deployments, assignments and stops, and versions by reported hashes."""

    def __init__(self, project: int, hashes: Iterable[str]) -> None:
        self._rules: dict[str, list[Rule]] = {}
        self._made_at: dict[int, datetime] = {}  # of each rule
        self._live: dict[str, dict[str, int]] = {}
        self._deployed_at: dict[tuple[str, str], datetime] = {}
        self._named: dict[str, Named] = {}
        self._stops: dict[tuple[str, str], Stopped] = {}
        assignments = Assignment.objects.filter(environment__project=project, ended_at=None)
        for row in assignments.select_related("bundle", "environment"):
            rule = Rule(
                number=row.pk,
                bundle=row.bundle.name,
                agent=row.agent,
                tags=row.tags,
                priority=row.priority,
            )
            self._rules.setdefault(row.environment.name, []).append(rule)
            self._made_at[row.pk] = row.created_at
        for what, _, key, bundle, number, at in sorted(_versions(project, hashes)):
            if what == _DEPLOYED:
                self._live.setdefault(key, {})[bundle] = number  # the newest comes last
                self._deployed_at[key, bundle] = at
            else:
                self._named.setdefault(key, Named(bundle, number))
        stops = Stop.objects.filter(environment__project=project, lifted_at=None)
        for stop in stops.select_related("environment"):
            name = stop.environment.name
            stopped = Stopped(stop.pk, name, stop.agent, shown(stop.author), stop.created_at)
            self._stops[name, stop.agent] = stopped

    def assigned(self, environment: str, agent: str) -> list[str]:
        """Bundles the agent may get with any tags, which are unknown here; best rule first."""
        return assignable(self._rules.get(environment, ()), agent)

    def live(self, environment: str) -> dict[str, int]:
        """Numbers of the currently deployed versions, by bundle."""
        return self._live.get(environment, {})

    def deployed_at(self, environment: str, bundle: str) -> datetime | None:
        """Time of a bundle's current deployment there."""
        return self._deployed_at.get((environment, bundle))

    def assigned_at(self, environment: str, agent: str) -> datetime | None:
        """Time of the last change to the agent's assignments."""
        rules = fitting(self._rules.get(environment, ()), agent)
        return max((self._made_at[rule.number] for rule in rules), default=None)

    def stop_of(self, environment: str, agent: str) -> Stopped | None:
        """Stop of the environment, else the agent's: lifting only that would change nothing."""
        return self._stops.get((environment, "")) or self._stops.get((environment, agent))

    @property
    def stops(self) -> list[Stopped]:
        """Active stops, newest first."""
        return sorted(self._stops.values(), key=lambda stop: stop.id, reverse=True)

    def named(self, revision: str) -> Named | None:
        """Version with a reported hash, in either dialect, or None if unknown."""
        return self._named.get(revision.lower())


# One version's written bytes may equal another's rendering in the other dialect. Written bytes
# take precedence, then the oldest version.
_WRITTEN, _RENDERED, _DEPLOYED = range(3)


def _versions(
    project: int, hashes: Iterable[str]
) -> Iterable[tuple[int, int, str, str, int, datetime]]:
    """Kind, age, hash or environment, bundle, number and start of each version, in one query."""
    reported = {text.lower() for text in hashes if text} - set(STOPPED_HASHES.values())
    some = sorted(reported)[:MOST]
    written = BundleVersion.objects.filter(bundle__project=project, revision_hash__in=some)
    rendered = Rendering.objects.filter(version__bundle__project=project, revision_hash__in=some)
    newer = Deployment.objects.filter(
        version__bundle=OuterRef("version__bundle"),
        environment=OuterRef("environment"),
        id__gt=OuterRef("id"),
    )
    live = Deployment.objects.filter(~Exists(newer), environment__project=project)
    of_version = ("version__bundle__name", "version__number")
    deployed = live.order_by().values_list(
        Value(_DEPLOYED), "id", "environment__name", *of_version, "created_at"
    )
    return deployed.union(
        written.order_by().values_list(
            Value(_WRITTEN), "id", "revision_hash", "bundle__name", "number", "created_at"
        ),
        rendered.order_by().values_list(
            Value(_RENDERED), "version_id", "revision_hash", *of_version, "version__created_at"
        ),
    )
