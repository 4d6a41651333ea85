"""Calls that change while they are being reclassified, and cancelled runs."""

from itertools import count

import pytest
from django.db import OperationalError

from outcomes.jobs import commands as jobs
from outcomes.models import Call, Rejudging
from outcomes.reclassification.classifying import Judging
from outcomes.reclassification.commands import parts as rejudging_parts
from outcomes.reclassification.commands import verdicts as reclassifying
from outcomes.reclassification.commands.jobs import cancel_rejudging
from tests.outcomes.backtests import EDITOR
from tests.outcomes.reclassification.test_rejudging import NOT_OK, OK, many, ran, unified
from tests.outcomes.rejudging import CHECK, reclassified, tried
from tests.recount import differences


@pytest.mark.parametrize("ask", [tried, reclassified])
def test_cancelling_stops_a_slow_check_between_two_calls(project, agent, monkeypatch, ask):
    many(agent, 60, 3)
    unified(project, "*")
    monkeypatch.setattr(rejudging_parts, "REPORT_EVERY", 0)
    judged, judge = count(1), Judging.judge

    def slowly(*args):
        if next(judged) == 4:
            running = Rejudging.objects.get()
            cancel_rejudging(project.pk, running.pk, running.kind, by=EDITOR)
        return judge(*args)

    monkeypatch.setattr(Judging, "judge", slowly)
    assert ask(project).status == "cancelled"
    assert next(judged) == 5
    assert differences() == []


def test_a_concurrently_updated_call_keeps_its_newer_verdict(project, agent, monkeypatch):
    agent.post(ran(NOT_OK, call_id="c", session_id="s"))
    unified(project, "*")
    commit = reclassifying.reclassify

    def overtaken(*args):
        Call.objects.update(classified="unknown", check_rule="newer")
        return commit(*args)

    monkeypatch.setattr(reclassifying, "reclassify", overtaken)
    flips = reclassified(project).result["flips"]
    assert Call.objects.get().check_rule == "newer"
    assert (flips["counts"]["newly_failed"], flips["counts"]["unchanged"]) == (0, 1)
    assert flips["not_checked"] == {"It changed during this run and was checked then.": 1}


def test_a_call_is_counted_once_however_often_its_transaction_is_retried(
    project, agent, monkeypatch
):
    agent.post(ran(NOT_OK, call_id="c", session_id="s"))
    unified(project, "*")
    note, tried = jobs.note, count(1)

    def locked_out(*args, **figures):
        if "place" in figures and next(tried) == 1:
            raise OperationalError("database is locked")
        return note(*args, **figures)

    monkeypatch.setattr(jobs, "note", locked_out)
    done = reclassified(project)
    assert (done.passed, done.result["flips"]["counts"]["newly_failed"]) == (1, 1)
    assert differences() == []


def test_an_output_that_arrived_meanwhile_does_not_get_the_earlier_verdict(
    project, agent, monkeypatch
):
    """Both outputs are successes, so only the check that decided shows which one was classified."""
    agent.post(ran(OK, call_id="c"))
    unified(project, "*", text=CHECK.replace("{equals: false}", "{equals: true}"))
    commit = reclassifying.reclassify

    def overtaken(*args):
        agent.post(ran({"fine": 1}, 60, call_id="c"))
        return commit(*args)

    monkeypatch.setattr(reclassifying, "reclassify", overtaken)
    reclassified(project)
    call = Call.objects.get()
    assert (call.verdict, call.check_name, call.check_rule) == ("success", "unified", "otherwise")
    assert differences() == []
