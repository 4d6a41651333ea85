"""The list of artifacts: what the calls of an environment refer to, with what is known of it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Q, QuerySet, Sum

from outcomes.artifacts.queries.calls import beginning, is_named
from outcomes.core import artifact_store
from outcomes.database import starting_with
from outcomes.models import ArtifactMaker, ArtifactTotal, ArtifactUse, Call
from outcomes.models.calls import NAME_INDEXED
from outcomes.record.codec import as_text, digest_of
from outcomes.web.key_paging import Page, Place, page_of

INDEXED: Final = 100  # characters of a name that the index of beginnings holds
ARTIFACTS_SHOWN: Final = 50
MAKERS_TOLD: Final = 500  # of all rows of a page
# By its name in an address: the columns that the list is in the order of, the greatest first.
ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("last_at", "id"),
    "size": ("size_bytes", "id"),
    "references": ("calls", "id"),
    "reads": ("reads", "id"),
}
_STATES: Final[Mapping[str, Q]] = {
    "stored": Q(artifact__isnull=False),
    "kept": Q(artifact=None),
    "read": Q(reads__gt=0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactFilter:
    """What the list is narrowed to; empty: not at all."""

    environment: str = ""
    agent: str = ""
    text: str = ""
    state: str = ""
    # That a call refers to in this time, as far as the first and the newest call tell.
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ArtifactCounts:
    all: int
    stored: int
    kept: int  # by agents
    read: int  # again
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    use: ArtifactUse
    agents: list[str]
    newest: Call | None  # that refers to it
    stored_bytes: int | None  # on the disk; none: not here


def artifacts_shown(
    project_id: int,
    wanted: ArtifactFilter,
    order: str,
    *,
    before: Place | None = None,
    after: Place | None = None,
) -> Page[ArtifactUse]:
    found = _uses(project_id, wanted).select_related("artifact", "environment")
    if wanted.state:
        found = found.filter(_STATES[wanted.state])
    return page_of(found, ORDERS[order], size=ARTIFACTS_SHOWN, before=before, after=after)


def any_artifact(project_id: int) -> bool:
    """Whether a call of this project has ever referred to one."""
    return ArtifactUse.objects.filter(project=project_id).exists()


def artifact_counts(project_id: int, wanted: ArtifactFilter) -> ArtifactCounts:
    """Over all rows, whichever of them are asked for."""
    if not (wanted.agent or wanted.text or wanted.since or wanted.until):
        return _totals(project_id, wanted.environment)
    counts = (
        _uses(project_id, wanted)
        .order_by()
        .aggregate(
            count_all=Count("id"),
            count_stored=Count("id", filter=_STATES["stored"]),
            count_read=Count("id", filter=_STATES["read"]),
            sum_size=Sum("size_bytes", default=0),
        )
    )
    return ArtifactCounts(
        counts["count_all"],
        counts["count_stored"],
        counts["count_all"] - counts["count_stored"],
        counts["count_read"],
        counts["sum_size"],
    )


def _totals(project_id: int, environment: str) -> ArtifactCounts:
    """As they are kept: as many as there may be, none of them is looked at."""
    found = ArtifactTotal.objects.filter(environment__project=project_id)
    if environment:
        found = found.filter(environment__name=as_text(environment))
    sums = found.aggregate(
        **{name: Sum(name, default=0) for name in ("artifacts", "stored", "read", "size_bytes")}
    )
    kept = sums["artifacts"] - sums["stored"]
    return ArtifactCounts(sums["artifacts"], sums["stored"], kept, sums["read"], sums["size_bytes"])


def with_their_calls(project_id: int, uses: Sequence[ArtifactUse]) -> list[ArtifactRow]:
    """With the agents whose calls refer to each, and the newest of these calls."""
    agents: dict[int, list[str]] = {use.pk: [] for use in uses}
    made = ArtifactMaker.objects.filter(use__in=[use.pk for use in uses]).order_by("id")
    for use, name in made.values_list("use", "agent__name")[:MAKERS_TOLD]:
        agents[use].append(name)
    newest: dict[tuple[int, str, datetime | None], Call] = {
        (call.environment_id, call.artifact_name, call.at): call
        for call in _calls_at(project_id, uses)
    }
    return [
        ArtifactRow(
            use,
            agents[use.pk],
            newest.get((use.environment_id, use.name, use.last_at)),
            artifact_store.stored_bytes(project_id, use.artifact.sha256) if use.artifact else None,
        )
        for use in uses
    ]


def uses_of(project_id: int, name: str) -> list[ArtifactUse]:
    """In every environment in which a call names it."""
    found = ArtifactUse.objects.filter(
        environment__project=project_id, project=project_id, digest=digest_of(name)
    )
    return list(found.select_related("artifact", "environment").order_by("environment__name"))


def makers_of(uses: Iterable[ArtifactUse]) -> list[tuple[str, int]]:
    """The agents whose calls refer to it, and how many each; those with the most first."""
    found = ArtifactMaker.objects.filter(use__in=[use.pk for use in uses]).order_by("agent__name")
    told: dict[str, int] = {}
    for name, calls in found.values_list("agent__name", "calls")[:MAKERS_TOLD]:
        told[name] = told.get(name, 0) + calls
    return sorted(told.items(), key=lambda each: -each[1])


def _uses(project_id: int, wanted: ArtifactFilter) -> QuerySet[ArtifactUse]:
    found = ArtifactUse.objects.filter(project=project_id, calls__gt=0)
    if wanted.environment:
        found = found.filter(environment__name=as_text(wanted.environment))
    if wanted.agent:
        found = found.filter(makers__agent__digest=digest_of(wanted.agent))
    if wanted.text:
        found = starting_with(found, "name", as_text(wanted.text), INDEXED)
    if wanted.since is not None:
        found = found.filter(last_at__gte=wanted.since)
    if wanted.until is not None:
        found = found.filter(first_at__lt=wanted.until)
    return found


def _calls_at(project_id: int, uses: Sequence[ArtifactUse]) -> QuerySet[Call]:
    """Those of the very times: of each artifact next to none, whatever else refers to it."""
    found = Call.objects.filter(
        is_named("artifact_name"),
        project=project_id,
        artifact_name__in={use.name for use in uses},
        at__in={use.last_at for use in uses if use.last_at is not None},
    )
    found = found.alias(begins=beginning("artifact_name")).filter(
        begins__in={use.name[:NAME_INDEXED] for use in uses}
    )
    return (
        found.select_related("tool", "agent", "session").defer("session__tally").order_by("order")
    )
