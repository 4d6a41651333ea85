"""Checks of backlog, failed batches, broker, workers, and the audit log's hash chain."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, Final

from celery import current_app
from django.conf import settings
from django.db.models import Count
from redis import Redis, RedisError

from edictum_site.celery import BULK, INTERACTIVE, SETTLE
from edictum_site.doctor.results import Result, ok, problem, warning
from edictum_site.program.place import PROGRAM_NAME
from edictum_site.stack.note import running, url_of_own_redis
from governance.audit_log import verify
from governance.core.figures import duration, size
from governance.models import AuditStream, Project
from outcomes.ingest.queries.capacity import held_by_inbox
from outcomes.models import Batch

SLOW: Final = 60.0  # seconds of lag
STUCK: Final = 600.0
TO_ANSWER: Final = 3.0  # seconds for workers to answer
SHOWN: Final = 3


def audit_chain() -> Iterator[Result]:
    broken = {each.slug: where for each in Project.objects.all() if (where := verify(each))}
    for slug, where in broken.items():
        yield problem(
            "audit chain",
            f"The audit log of {slug} was altered, first at entry {where.number}. {where.why}",
            "Compare it with a backup from before, and find out who can write to the database.",
        )
    if not broken:
        yield ok("audit chain", "No entry of an audit log was changed, removed or inserted.")


def audit_streams() -> Iterator[Result]:
    failing = AuditStream.objects.exclude(failed_since=None).select_related("project")
    for row in failing.order_by("project__slug"):
        yield warning(
            "audit stream",
            f"The audit log of {row.project.slug} is not sent: {row.error}",
            "Settings → Audit log → Stream it shows the receiver. Nothing is lost meanwhile.",
        )
    if not failing:
        yield ok("audit stream", "No audit log fails to be sent.")


def backlog() -> Iterator[Result]:
    held = held_by_inbox()
    late = duration(timedelta(seconds=held.seconds))
    detail = (
        f"{size(held.size)} wait, the oldest for {late}." if held.size else "Nothing is queued."
    )
    advice = "Check that a worker of the queue settle runs; add workers to process faster."
    if held.seconds >= STUCK:
        yield problem("backlog", detail, advice)
    elif held.seconds >= SLOW:
        yield warning("backlog", detail, advice)
    else:
        yield ok("backlog", detail)


def failed_batches() -> Iterator[Result]:
    failed = Batch.objects.exclude(set_aside_at=None)
    by_project = failed.order_by().values_list("project__slug").annotate(Count("id"))
    for slug, number in sorted(by_project):
        yield problem(
            "failed batches",
            f"{slug} has {number:,} failed batches, which are acknowledged and not processed.",
            "Settings → Failed batches shows each error and retries them.",
        )
    waiting = Batch.objects.filter(set_aside_at=None).exclude(fault="")
    if error := waiting.order_by("id").values_list("error", flat=True).first():
        yield warning(
            "failed batches",
            f"{waiting.count():,} batches wait for a fault to end: {error}",
            "They are retried automatically. Fix the cause.",
        )
    if not by_project and not error:
        yield ok("failed batches", "None.")


def broker_and_workers() -> Iterator[Result]:
    url = settings.REDIS_URL or url_of_own_redis(settings.DATA)
    if not url:
        words = "its Redis is not running" if running(settings.DATA) else "no console is running"
        yield problem("redis", f"On this data folder {words}.", f"{PROGRAM_NAME} up starts both.")
        return
    try:
        with Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as broker:
            broker.ping()
    except RedisError as error:
        yield problem(
            "redis",
            f"Redis does not answer: {error}",
            "Start it, or fix REDIS_URL. Events are processed by a timer; jobs wait.",
        )
        return
    yield ok("redis", "Redis answers.")
    yield from workers(url)


def workers(url: str) -> Iterator[Result]:
    """Workers that answer over the broker, by queue."""
    current_app.conf.update(broker_url=url.replace("unix://", "redis+socket://", 1))
    control: Any = current_app.control
    answers = control.inspect(timeout=TO_ANSWER).active_queues() or {}
    for queue in (SETTLE, INTERACTIVE, BULK):
        names = [name for name, queues in answers.items() if queue in _names(queues)]
        if names:
            yield ok(f"queue {queue}", f"Workers: {', '.join(sorted(names)[:SHOWN])}.")
        else:
            yield problem(
                f"queue {queue}",
                "No worker serves it.",
                f"Start one: {PROGRAM_NAME} worker --queues {queue}, or {PROGRAM_NAME} up.",
            )


def _names(queues: list[dict[str, Any]]) -> set[str]:
    return {str(queue["name"]) for queue in queues}
