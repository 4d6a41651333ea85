"""Long sessions resumed from snapshots and corrected call by call match a full recount."""

from datetime import timedelta
from itertools import count

import pytest
from django.db import OperationalError, transaction
from hypothesis import given
from hypothesis import strategies as st

from outcomes.jobs import commands as jobs
from outcomes.models import Call, SessionMark
from outcomes.reclassification.commands import parts as rejudging_parts
from outcomes.sessions.commands import days
from outcomes.sessions.commands import readings as session_reading
from outcomes.sessions.commands.days import Marks
from outcomes.sessions.commands.long_sessions import LongSessions
from tests import builders
from tests.examples import with_a_database
from tests.outcomes.posting import settle
from tests.outcomes.reclassification.test_rejudging import (
    FAILS,
    NOON,
    NOT_OK,
    OK,
    in_a_project_of_its_own,
    many,
    ran,
    unified,
)
from tests.outcomes.rejudging import reclassified
from tests.outcomes.settling.test_settle_exactness import batches_of, identity, item, send
from tests.recount import differences


@pytest.fixture(autouse=True)
def long_from_a_few_calls_on(monkeypatch):
    monkeypatch.setattr(days, "MARK_EVERY", 3)
    monkeypatch.setattr(rejudging_parts, "AT_ONCE", 2)


@pytest.mark.slow
@with_a_database(15)
@given(
    sent=st.lists(item, min_size=6, max_size=16, unique_by=identity),
    order=st.randoms(use_true_random=False),
    cuts=st.lists(st.integers(0, 60), min_size=2, max_size=6),
)
def test_counts_are_exact_whatever_the_arrival_order_and_reclassification(db, sent, order, cuts):
    with transaction.atomic():
        project, agent = in_a_project_of_its_own()
        order.shuffle(sent)
        batches = batches_of(sent, cuts)
        for batch in batches[:-1]:
            send(agent, batch)
            settle()
        unified(project, "*", text=FAILS)
        reclassified(project)
        assert differences() == []
        send(agent, batches[-1])
        settle()
        unified(project, "http_*")
        reclassified(project)
        assert differences() == []
        transaction.set_rollback(True)


def allowed(number):
    at = (NOON + timedelta(seconds=number)).isoformat()
    return builders.an_event("call_allowed", f"c{number}", run_id="s", timestamp=at)


def test_a_late_call_is_counted_from_the_snapshot_before_it(project, agent, monkeypatch):
    agent.post_events(*[allowed(number) for number in range(10)])
    assert [mark.number for mark in SessionMark.objects.order_by("number")] == [3, 6, 9]
    monkeypatch.setattr(session_reading, "calls_of", lambda sessions: {} if not sessions else 1 / 0)
    agent.post(ran(OK, 8, call_id="c8"))
    agent.post(ran(OK, 9, call_id="c9"), ran(OK, 10, call_id="c10"))
    monkeypatch.undo()
    assert agent.session("s")["counts"]["successes"] == 3
    assert SessionMark.objects.filter(number__gt=6).exists()
    assert differences() == []


def test_a_session_is_read_once_for_all_its_chunks(project, agent, monkeypatch):
    agent.post(*[ran(NOT_OK if number % 3 else OK, number) for number in range(12)])
    unified(project, "*")
    monkeypatch.setattr(session_reading, "calls_of", lambda sessions: {} if not sessions else 1 / 0)
    monkeypatch.setattr(Marks, "read_on", None)
    assert reclassified(project).result["flips"]["counts"]["newly_failed"] == 8
    monkeypatch.undo()
    assert differences() == []


@pytest.mark.parametrize("came", [0, 5, 30])
def test_calls_processed_between_two_chunks_are_included_in_the_next(
    project, agent, monkeypatch, came
):
    """The calls are at the start, in the middle and at the end of the session."""
    agent.post(
        *[ran(NOT_OK if number % 3 else OK, number, call_id=f"c{number}") for number in range(12)]
    )
    unified(project, "*")
    note, notes = jobs.note, count(1)

    def noted(*args, **figures):
        if "place" in figures and next(notes) in (2, 4):
            posted.append(ran(OK, came, call_id=f"late-{len(posted)}"))
        return note(*args, **figures)

    class Interrupted(LongSessions):
        def load(self, sessions):
            super().load(sessions)
            if posted:
                agent.post(posted.pop(), ran(NOT_OK, came, call_id="c5"))

    posted: list[dict[str, object]] = []
    monkeypatch.setattr(jobs, "note", noted)
    monkeypatch.setattr(rejudging_parts, "LongSessions", Interrupted)
    reclassified(project)
    assert Call.objects.filter(call_id__startswith="late-").count() >= 1
    assert differences() == []


def test_a_call_whose_transaction_was_rolled_back_is_counted_once(project, agent, monkeypatch):
    many(agent, 30, 2)
    unified(project, "*")
    note, notes = jobs.note, count(1)

    def locked_out(*args, **figures):
        if "place" in figures and next(notes) in (2, 5):
            raise OperationalError("database is locked")
        return note(*args, **figures)

    monkeypatch.setattr(jobs, "note", locked_out)
    done = reclassified(project)
    assert (done.passed, done.result["flips"]["counts"]["newly_failed"]) == (30, 10)
    assert differences() == []


def test_snapshots_are_removed_when_all_calls_move_to_another_session(project, agent):
    agent.post_events(*[allowed(number) for number in range(7)])
    assert SessionMark.objects.count() == 2
    agent.post(*[builders.an_outcome(f"c{number}", session_id="other") for number in range(7)])
    assert not SessionMark.objects.filter(session__session_id="s").exists()
    assert differences() == []
