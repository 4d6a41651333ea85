"""Messages only refer to rows: the sweep sends lost ones again, and duplicates do nothing."""

import json
from typing import Any

import pytest

from edictum_site.celery import INTERACTIVE, app
from outcomes import tasks
from outcomes.backtesting.commands import start_backtest
from outcomes.jobs import commands as jobs
from outcomes.jobs import doorbell
from outcomes.models import Backtest, Rejudging, RejudgingPart
from outcomes.reclassification.commands.jobs import start_reclassification
from outcomes.recorded_calls.selection import CallCriteria
from tests.governance.contracts.documents import document, pre
from tests.outcomes.backtests import EDITOR
from tests.outcomes.reclassification.test_rejudging import NOT_OK, ran, unified
from tests.recount import differences

RULES = document(pre("{args.command: {contains: rm}}"))


@pytest.fixture
def queue():
    """Messages in the queue of interactive jobs."""
    with app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        channel.queue_declare(INTERACTIVE)
        channel.queue_purge(INTERACTIVE)

        def messages() -> list[Any]:
            listed = []
            while (message := channel.basic_get(INTERACTIVE, no_ack=True)) is not None:
                listed.append(json.loads(message.body)[0][0])
            return listed

        yield messages


def requested_job(project) -> int:
    return start_backtest(project.pk, by=EDITOR, document=RULES, criteria=CallCriteria()).pk


def test_a_job_whose_message_was_lost_is_queued_once_more(project, queue):
    number = requested_job(project)
    tasks.sweep_jobs()
    tasks.sweep_jobs()
    assert queue() == [number]


def test_a_duplicate_message_runs_its_job_once(project, agent):
    agent.post(ran({"ok": True}))
    number = requested_job(project)
    tasks.run_backtest(number)
    tasks.run_backtest(number)
    backtest = Backtest.objects.get()
    assert (backtest.status, backtest.tries) == ("done", 1)


def test_a_message_for_a_running_job_is_ignored(project):
    number = requested_job(project)
    claimed = jobs.claimed(Backtest.objects.all(), number)
    tasks.run_backtest(number)
    assert claimed is not None
    assert jobs.note(claimed)


def test_a_reclassification_is_requeued_behind_other_jobs_when_its_turn_ends(
    project, agent, monkeypatch
):
    agent.post(*(ran(NOT_OK, session_id=f"s-{number}") for number in range(5)))
    unified(project, "*")
    start_reclassification(project.pk, by=EDITOR, criteria=CallCriteria())
    sent = []
    monkeypatch.setattr(jobs, "TURN", 0.0)
    monkeypatch.setattr(app, "send_task", lambda name, args, **_: sent.append((name, args)))
    part = RejudgingPart.objects.get().pk
    tasks.reclassify(part)
    assert sent == [(doorbell.RECLASSIFY, (part,))]
    assert RejudgingPart.objects.get().status == "queued"
    tasks.reclassify(part)
    assert Rejudging.objects.get().status == "done"
    assert differences() == []
