"""List of artifacts that the calls of an environment refer to."""

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
from outcomes.web.paging import Page, Place, page_of

INDEXED: Final = 100  # characters of a name in the prefix index
ARTIFACTS_SHOWN: Final = 50
MAKERS_SHOWN: Final = 500  # on all rows of a page
# Sort columns by name in the URL, descending.
ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    "": ("last_at", "id"),
    "size": ("size_bytes", "id"),
    "references": ("calls", "id"),
    "reads": ("reads", "id"),
}
_STATES: Final[Mapping[str, Q]] = {
    "stored": Q(artifact__isnull=False),
    "elsewhere": Q(artifact=None),
    "read": Q(reads__gt=0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactFilter:
    """Filters of the list. Empty fields don't filter."""

    environment: str = ""
    agent: str = ""
    text: str = ""
    state: str = ""
    # Time range of referring calls, compared with an artifact's first and newest call only.
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class ArtifactCounts:
    all: int
    stored: int
    elsewhere: int  # stored by its agent
    read: int  # by later calls
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ArtifactRow:
    use: ArtifactUse
    agents: list[str]
    newest: Call | None  # newest call that refers to it
    stored_bytes: int | None  # compressed; None if unknown
    is_missing: bool


def artifacts_shown(
    project_id: int,
    filters: ArtifactFilter,
    order: str,
    *,
    before: Place | None = None,
    after: Place | None = None,
) -> Page[ArtifactUse]:
    uses = _uses(project_id, filters).select_related("artifact", "environment")
    if filters.state:
        uses = uses.filter(_STATES[filters.state])
    return page_of(uses, ORDERS[order], size=ARTIFACTS_SHOWN, before=before, after=after)


def any_artifact(project_id: int) -> bool:
    """Whether a call of this project has ever referred to an artifact."""
    return ArtifactUse.objects.filter(project=project_id).exists()


def artifact_counts(project_id: int, filters: ArtifactFilter) -> ArtifactCounts:
    """Counts of all matching rows, not only those of one page."""
    if not (filters.agent or filters.text or filters.since or filters.until):
        return _totals(project_id, filters.environment)
    counts = (
        _uses(project_id, filters)
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
    """Counts from stored totals, without scanning the rows."""
    totals = ArtifactTotal.objects.filter(environment__project=project_id)
    if environment:
        totals = totals.filter(environment__name=as_text(environment))
    sums = totals.aggregate(
        **{name: Sum(name, default=0) for name in ("artifacts", "stored", "read", "size_bytes")}
    )
    elsewhere = sums["artifacts"] - sums["stored"]
    return ArtifactCounts(
        sums["artifacts"], sums["stored"], elsewhere, sums["read"], sums["size_bytes"]
    )


def with_their_calls(project_id: int, uses: Sequence[ArtifactUse]) -> list[ArtifactRow]:
    """Rows with the agents whose calls refer to each artifact, and the newest such call."""
    agents: dict[int, list[str]] = {use.pk: [] for use in uses}
    made = ArtifactMaker.objects.filter(use__in=[use.pk for use in uses]).order_by("id")
    for use, name in made.values_list("use", "agent__name")[:MAKERS_SHOWN]:
        agents[use].append(name)
    newest: dict[tuple[int, str, datetime | None], Call] = {
        (call.environment_id, call.artifact_name, call.at): call
        for call in _calls_at(project_id, uses)
    }
    sizes = _stored_sizes(project_id, uses)
    return [
        ArtifactRow(
            use,
            agents[use.pk],
            newest.get((use.environment_id, use.name, use.last_at)),
            sizes.get(use.name),
            use.name in sizes and sizes[use.name] is None,
        )
        for use in uses
    ]


def _stored_sizes(project_id: int, uses: Sequence[ArtifactUse]) -> dict[str, int | None]:
    """Stored sizes by name, None for missing content. Empty while the store is unavailable."""
    names = [use.artifact.sha256 for use in uses if use.artifact]
    try:
        return dict(zip(names, artifact_store.stored_sizes(project_id, names), strict=True))
    except OSError:
        return {}


def uses_of(project_id: int, name: str) -> list[ArtifactUse]:
    """Uses of an artifact, one per environment whose calls name it."""
    uses = ArtifactUse.objects.filter(
        environment__project=project_id, project=project_id, digest=digest_of(name)
    )
    return list(uses.select_related("artifact", "environment").order_by("environment__name"))


def makers_of(uses: Iterable[ArtifactUse]) -> list[tuple[str, int]]:
    """Agents whose calls refer to it, with their number of calls, most calls first."""
    makers = ArtifactMaker.objects.filter(use__in=[use.pk for use in uses]).order_by("agent__name")
    shown: dict[str, int] = {}
    for name, calls in makers.values_list("agent__name", "calls")[:MAKERS_SHOWN]:
        shown[name] = shown.get(name, 0) + calls
    return sorted(shown.items(), key=lambda each: -each[1])


def _uses(project_id: int, filters: ArtifactFilter) -> QuerySet[ArtifactUse]:
    uses = ArtifactUse.objects.filter(project=project_id, calls__gt=0)
    if filters.environment:
        uses = uses.filter(environment__name=as_text(filters.environment))
    if filters.agent:
        uses = uses.filter(makers__agent__digest=digest_of(filters.agent))
    if filters.text:
        uses = starting_with(uses, "name", as_text(filters.text), INDEXED)
    if filters.since is not None:
        uses = uses.filter(last_at__gte=filters.since)
    if filters.until is not None:
        uses = uses.filter(first_at__lt=filters.until)
    return uses


def _calls_at(project_id: int, uses: Sequence[ArtifactUse]) -> QuerySet[Call]:
    """Newest call for each use, selected by exact time, so that few rows are read."""
    calls = Call.objects.filter(
        is_named("artifact_name"),
        project=project_id,
        artifact_name__in={use.name for use in uses},
        at__in={use.last_at for use in uses if use.last_at is not None},
    )
    calls = calls.alias(begins=beginning("artifact_name")).filter(
        begins__in={use.name[:NAME_INDEXED] for use in uses}
    )
    return (
        calls.select_related("tool", "agent", "session").defer("session__tally").order_by("order")
    )
