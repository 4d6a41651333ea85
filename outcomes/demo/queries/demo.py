"""How the filling of a demo project stands."""

from datetime import timedelta
from typing import Final

from outcomes.core.clock import database_time
from outcomes.models import DemoRun

LOST_AFTER: Final = timedelta(seconds=60)  # without a word of its process


def demo_run(project_id: int) -> DemoRun | None:
    return DemoRun.objects.filter(project=project_id).first()


def is_lost(run: DemoRun) -> bool:
    """Its process died, with whatever it was part of."""
    heard = run.heard_at or run.started_at
    running = run.status == DemoRun.Status.RUNNING
    return running and heard is not None and heard < database_time() - LOST_AFTER
