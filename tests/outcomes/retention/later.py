"""A shifted clock, and retention runs completed at once, for tests."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from governance.core.actor import CONSOLE
from governance.models import Project
from outcomes.models import RetentionRun
from outcomes.retention.commands.runs import run_retention, start_run
from tests.outcomes.waiting_jobs import run_waiting_indexes, run_waiting_removals


def days_later(monkeypatch: pytest.MonkeyPatch, days: float) -> None:
    """Set the console's clock ahead by this many days."""
    monkeypatch.setattr(timezone, "now", lambda: datetime.now(UTC) + timedelta(days=days))


def carried_out(project: Project) -> RetentionRun:
    """A completed retention run, including the jobs it queues."""
    run = start_run(project, by=CONSOLE)
    while not run_retention(run.pk):
        pass
    run_waiting_removals()
    run_waiting_indexes()
    run.refresh_from_db()
    assert run.status == run.Status.DONE, run.error
    return run
