"""Recorded sessions, and backtests over them, for tests."""

from typing import Any

from governance.domain.actor import Actor, ActorKind
from governance.domain.roles import Role
from governance.models import Project
from outcomes.commands.backtests import Wanted, run_waiting_backtests, start_backtest
from outcomes.models import Backtest

EDITOR = Actor(ActorKind.PERSON, 1, "editor@example.test", Role.EDITOR)


def backtested(project: Project, text: str, **wanted: Any) -> Backtest:
    """The result of these rules over all that was recorded."""
    start_backtest(project.pk, by=EDITOR, document=text, wanted=Wanted(**wanted))
    run_waiting_backtests()
    return Backtest.objects.latest("id")
