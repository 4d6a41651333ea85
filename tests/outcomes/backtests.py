"""Recorded sessions and backtests over them, for tests."""

from typing import Any

from django.utils import timezone

from governance.core.actor import Actor, ActorKind
from governance.core.roles import Role
from governance.models import Project
from outcomes.backtesting.commands import start_backtest
from outcomes.models import Backtest
from outcomes.recorded_calls.selection import CallCriteria
from tests.outcomes.waiting_jobs import run_waiting_backtests

EDITOR = Actor(ActorKind.PERSON, 1, "editor@example.test", Role.EDITOR)


def backtested(project: Project, text: str, **criteria: Any) -> Backtest:
    """Result of these rules over all recorded calls."""
    start_backtest(project.pk, by=EDITOR, document=text, criteria=CallCriteria(**criteria))
    run_waiting_backtests()
    return Backtest.objects.latest("id")


def waiting_backtest(project: Project) -> Backtest:
    """A requested backtest without a contract, which never runs."""
    now = timezone.now()
    return Backtest.objects.create(
        project=project, bundle_name="d", document=b"", until=now, created_at=now
    )
