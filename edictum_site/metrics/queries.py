"""Metrics read from the database, per project and for the installation; the same in every web
process."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from django.conf import settings
from django.db.models import Count, Min, Q
from django.utils import timezone

from edictum_site.celery import BULK, INTERACTIVE, SETTLE
from edictum_site.metrics.domain import Sample
from governance.models import Approval, Environment, Finding, Project
from outcomes.core import broker
from outcomes.figures.domain.totals import (
    CALLS,
    DENIALS,
    DISAGREEMENTS,
    LIMIT,
    VERDICTS,
    Place,
)
from outcomes.figures.queries.totals import totals
from outcomes.health import commands as readiness
from outcomes.hosts.domain import State
from outcomes.hosts.queries import HostRow
from outcomes.ingest.queries.capacity import held_by_inbox
from outcomes.jobs.queries import backlog, ended_jobs, waiting_jobs

PROJECTS: Final = 100  # the oldest projects, which one scrape contains
PART_UP: Final = "edictum_part_up"
QUEUES: Final = (SETTLE, INTERACTIVE, BULK)
PARTS: Final = ("database", "schema", "inbox", "artifacts", "scheduler")


def project_samples(project_id: int | None = None) -> list[Sample]:
    """Samples of one project, or of all."""
    projects = Project.objects.order_by("pk")
    if project_id is not None:
        projects = projects.filter(pk=project_id)
    rows = list(projects.values_list("pk", "slug")[:PROJECTS])
    samples = [sample for pk, slug in rows for sample in _one_project(pk, slug)]
    return [*samples, *_alerts(rows), *_approvals(rows)]


def _one_project(pk: int, slug: str) -> Iterator[Sample]:
    for place, number in sorted(totals(pk).items()):
        yield from _counters(slug, place, number)
    waiting = backlog(pk)
    yield Sample("edictum_backlog_batches", (slug,), waiting.batches)
    yield Sample("edictum_backlog_items", (slug,), waiting.items)
    yield Sample("edictum_settling_lag_seconds", (slug,), waiting.seconds_behind)
    yield Sample("edictum_failed_batches", (slug,), waiting.set_aside)


def _counters(slug: str, series: Place, number: int) -> Iterator[Sample]:
    place = slug, series.environment
    match series.of:
        case "calls" | "verdicts":
            labels = (*place, series.tool, series.label)
            yield Sample(_NAMES[series.of], labels, number)
        case "denials":
            yield Sample(_NAMES[DENIALS], (*place, series.label), number)
            if series.label == LIMIT:
                yield Sample("edictum_limits_reached_total", place, number)
        case _:
            yield Sample(_NAMES[DISAGREEMENTS], (*place, series.tool), number)


_NAMES: Final = {
    each: f"edictum_{each}_total" for each in (CALLS, VERDICTS, DENIALS, DISAGREEMENTS)
}


def _alerts(projects: Sequence[tuple[int, str]]) -> Iterator[Sample]:
    slugs = dict(projects)
    is_snoozed = Q(snoozed_until__gt=timezone.now())
    rows = Finding.objects.filter(project__in=slugs, resolved_at=None, dismissed_at=None)
    counts = rows.exclude(is_snoozed).order_by().values_list("project", "severity")
    numbers = {(project, severity): n for project, severity, n in counts.annotate(Count("id"))}
    for project, slug in projects:
        for severity in Finding.Severity.values:
            yield Sample("edictum_alerts", (slug, severity), numbers.get((project, severity), 0))


def _approvals(projects: Sequence[tuple[int, str]]) -> Iterator[Sample]:
    slugs, now = dict(projects), timezone.now()
    pending = Approval.objects.filter(project__in=slugs, status="pending", ends_at__gt=now)
    waiting = pending.order_by().values_list("environment").annotate(Count("id"), Min("created_at"))
    of_environment = {environment: (number, oldest) for environment, number, oldest in waiting}
    environments = Environment.objects.filter(project__in=slugs).order_by("pk")
    for pk, project, name in environments.values_list("pk", "project", "name"):
        number, oldest = of_environment.get(pk, (0, now))
        place = slugs[project], name
        yield Sample("edictum_pending_approvals", place, number)
        age = max((now - oldest).total_seconds(), 0.0)
        yield Sample("edictum_oldest_approval_seconds", place, age)


def health_samples() -> list[Sample]:
    """Samples for the state of each part, from the health checks. They work without the database
    and then report it as down."""
    broken = {each.part for each in readiness.problems()}
    if "database" in broken:
        broken |= {"schema", "inbox", "scheduler"}
    elif readiness.installation().scheduler != "up":
        broken.add("scheduler")
    parts = [Sample(PART_UP, (part,), float(part not in broken)) for part in PARTS]
    return [Sample("edictum_build_info", (settings.RELEASE,), 1), *parts, *_queues()]


def all_samples() -> list[Sample]:
    """Samples of all projects, and of the parts that they share."""
    return [*project_samples(), *_shared_state()]


def is_database_up(samples: Iterable[Sample]) -> bool:
    return Sample(PART_UP, ("database",), 1.0) in samples


def _shared_state() -> Iterator[Sample]:
    for host in _hosts():
        labels = host.name, host.process
        yield Sample("edictum_host_up", labels, float(host.state is State.UP))
        yield Sample("edictum_host_clock_offset_seconds", labels, host.clock_offset)
    yield Sample("edictum_inbox_bytes", (), held_by_inbox().size)
    for waiting in waiting_jobs():
        yield Sample("edictum_jobs", (waiting.kind, waiting.status), waiting.jobs)
    for ended in ended_jobs():
        labels = ended.kind, ended.status
        yield Sample("edictum_jobs_ended_total", labels, ended.jobs)
        yield Sample("edictum_job_seconds_total", labels, ended.seconds)


def _hosts() -> Iterable[HostRow]:
    """One row per host and process; if there are two data folders, the one that reported last."""
    rows = sorted(readiness.installation().hosts, key=lambda row: row.heard_at)
    return {(row.name, row.process): row for row in rows}.values()


def _queues() -> Iterator[Sample]:
    lengths = broker.ask(lambda redis: [redis.llen(queue) for queue in QUEUES])
    yield Sample(PART_UP, ("broker",), float(lengths is not None))
    for queue, length in zip(QUEUES, lengths or (), strict=False):
        yield Sample("edictum_queue_messages", (queue,), length)
