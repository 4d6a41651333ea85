"""Which contract version governed a call, and its session limits."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from governance.core.session_limits import SessionLimit, limits_of
from governance.delivery.queries.assignments import Assigned
from governance.models import BundleVersion, Deployment, Rendering


class Governing:
    """Contract versions that governed calls here, loaded once and queried many times."""

    def __init__(self, environments: Iterable[int]) -> None:
        self._deployed: dict[int, dict[str, tuple[list[datetime], list[int]]]] = defaultdict(dict)
        self._by_hash: dict[tuple[int, str], int | None] = {}
        self._limits: dict[int | None, tuple[SessionLimit, ...]] = {}
        self._assigned: dict[int, Assigned] = {}
        rows = (
            Deployment.objects.filter(environment__in=list(environments))
            .order_by("id")
            .values_list("environment", "version__bundle__name", "version", "created_at")
        )
        for environment, bundle, version, at in rows:
            times, versions = self._deployed[environment].setdefault(bundle, ([], []))
            # Timestamps never decrease, so a clock set back doesn't revive the previous deployment.
            times.append(max(at, times[-1]) if times else at)
            versions.append(version)

    def version_of(
        self,
        project: int,
        environment: int,
        at: datetime,
        policy_version: str | None,
        bundle: str | None,
        agent: str = "",
    ) -> int | None:
        """Version by the hash that the agent reported, else by what was deployed at that time."""
        if policy_version:
            return self._with_hash(project, policy_version)
        deployed = self._deployed.get(environment)
        if not deployed:
            return None
        bundle = bundle or (self._assigned_to(environment).bundle_of(agent, at) if agent else None)
        if bundle:
            return _current(deployed.get(bundle), at)
        then = [version for each in deployed.values() if (version := _current(each, at))]
        return then[0] if len(then) == 1 else None

    def limits_of(self, version: int | None) -> tuple[SessionLimit, ...]:
        """Session limits of a version, with the SDK's own, which apply to calls of SDKs only."""
        if version not in self._limits:
            rules = (
                BundleVersion.objects.filter(pk=version)
                .values_list("session_rules", flat=True)
                .first()
                if version
                else None
            )
            self._limits[version] = limits_of(rules or [], assume_sdk=True)
        return self._limits[version]

    def learn(self, version: BundleVersion) -> None:
        """Cache the limits of a version that is already loaded, to save a query."""
        self._limits[version.pk] = limits_of(version.session_rules or [], assume_sdk=True)

    def _assigned_to(self, environment: int) -> Assigned:
        if environment not in self._assigned:
            self._assigned[environment] = Assigned(environment)
        return self._assigned[environment]

    def _with_hash(self, project: int, policy_version: str) -> int | None:
        key = (project, policy_version)
        if key not in self._by_hash:
            revision_hash = policy_version.lower()
            self._by_hash[key] = (
                # One version's written bytes may equal the rendering of another.
                BundleVersion.objects.filter(bundle__project=project, revision_hash=revision_hash)
                .order_by("id")
                .values_list("id", flat=True)
                .first()
            ) or (
                Rendering.objects.filter(
                    version__bundle__project=project, revision_hash=revision_hash
                )
                .order_by("version")
                .values_list("version", flat=True)
                .first()
            )
        return self._by_hash[key]


def _current(deployed: tuple[list[datetime], list[int]] | None, at: datetime) -> int | None:
    if deployed is None:
        return None
    times, versions = deployed
    place = bisect_right(times, at)
    return versions[place - 1] if place else None
