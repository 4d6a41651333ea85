"""Runs queued jobs one after the other in this process. Each function returns how many ran."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.db.models import QuerySet

from governance.models import Project
from outcomes.backtesting.commands import run_backtest
from outcomes.jobs import commands as jobs
from outcomes.models import (
    Backtest,
    Rejudging,
    RejudgingPart,
    SessionRemoval,
    SuggestionScan,
)
from outcomes.models.jobs import Job
from outcomes.reclassification.commands import parts
from outcomes.reclassification.commands.parts import run_part
from outcomes.search.commands.indexing import run_index, waiting_indexes
from outcomes.sessions.commands.removal import run_removal, waiting_removals
from outcomes.suggestions.commands.scans import request_scan, run_scan

J = TypeVar("J", bound=Job)


def run_waiting_backtests() -> int:
    return _run(Backtest.objects.all(), run_backtest)


def run_waiting_parts() -> int:
    return _run(RejudgingPart.objects.all(), run_part)


def waiting_parts() -> list[int]:
    """Queued parts of both kinds, including those whose worker died."""
    return [number for kind in Rejudging.Kind for number in parts.waiting_parts(kind)]


def claim_next(rows: QuerySet[J]) -> J | None:
    waiting = jobs.waiting(rows)
    return jobs.claimed(rows, waiting[0]) if waiting else None


def run_waiting_looks() -> int:
    return _run(SuggestionScan.objects.all(), run_scan)


def run_waiting_indexes() -> int:
    ran = 0
    while waiting := waiting_indexes():
        for number in waiting:
            run_index(number)
            ran += 1
    return ran


def scanned(project: Project) -> None:
    """Scan the newest outputs for suggestions."""
    request_scan(project.pk)
    run_waiting_looks()


def run_waiting_removals() -> int:
    """Run queued removals and return the number of completed ones."""
    before = SessionRemoval.objects.count()
    for number in waiting_removals():
        run_removal(number)
    return before - SessionRemoval.objects.count()


def _run(rows: QuerySet[Any], run: Callable[[int], object]) -> int:
    ran = 0
    while waiting := jobs.waiting(rows):
        run(waiting[0])
        ran += 1
    return ran
