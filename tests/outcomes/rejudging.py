"""Impact previews and reclassifications, for tests."""

from typing import Any

from django.utils import timezone

from governance.models import Project
from outcomes.models import Rejudging
from outcomes.reclassification.commands.jobs import start_check_backtest, start_reclassification
from outcomes.recorded_calls.selection import CallCriteria
from tests.outcomes.backtests import EDITOR
from tests.outcomes.waiting_jobs import run_waiting_parts

CHECK = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: unified}
otherwise: success
rules:
  - id: not-ok
    when: {result.ok: {equals: false}}
    verdict: failure
  - id: soon
    when: {result.state: {equals: pending}}
    verdict: unknown
"""


def tried(project: Project, text: str = CHECK, scope: str = "all", **criteria: Any) -> Rejudging:
    """Impact preview of this check over all recorded calls."""
    start_check_backtest(
        project.pk, by=EDITOR, text=text, scope=scope, criteria=CallCriteria(**criteria)
    )
    run_waiting_parts()
    return Rejudging.objects.latest("id")


def reclassified(project: Project, **criteria: Any) -> Rejudging:
    start_reclassification(project.pk, by=EDITOR, criteria=CallCriteria(**criteria))
    run_waiting_parts()
    return Rejudging.objects.latest("id")


def waiting_rejudging(project: Project, kind: str) -> Rejudging:
    """A requested job without parts, which never runs."""
    now = timezone.now()
    return Rejudging.objects.create(project=project, kind=kind, until=now, created_at=now)


def flips(rejudging: Rejudging) -> dict[str, int]:
    counts: dict[str, int] = rejudging.result["flips"]["counts"]
    return {name: number for name, number in counts.items() if number}
