"""Status of the job that fills a demo project."""

from datetime import timedelta
from typing import Final

from outcomes.core.clock import database_time
from outcomes.models import DemoRun

LOST_AFTER: Final = timedelta(seconds=60)  # without a heartbeat


def demo_run(project_id: int) -> DemoRun | None:
    return DemoRun.objects.filter(project=project_id).first()


def is_lost(run: DemoRun) -> bool:
    """Whether the run is marked as running but its process has died."""
    heard = run.heard_at or run.started_at
    running = run.status == DemoRun.Status.RUNNING
    return running and heard is not None and heard < database_time() - LOST_AFTER
