"""Parts claimed by two processes, processes that die at any point, and jobs over the same calls."""

from datetime import UTC, datetime
from itertools import count

import pytest
from django.db import OperationalError

from governance.checks.commands.checks import save_check
from governance.checks.queries.checks import judges
from outcomes.jobs import commands as jobs
from outcomes.models import Call, PastVerdict, Rejudging, RejudgingPart
from outcomes.reclassification.commands import parts as rejudging_parts
from outcomes.reclassification.commands import verdicts as reclassifying
from outcomes.reclassification.commands.jobs import start_reclassification
from outcomes.recorded_calls.selection import CallCriteria
from tests.outcomes.backtests import EDITOR
from tests.outcomes.reclassification.test_rejudging import (
    NOT_OK,
    OK,
    in_small_pieces,
    many,
    ran,
    unified,
)
from tests.outcomes.rejudging import CHECK, flips, reclassified, tried
from tests.outcomes.waiting_jobs import claim_next, run_waiting_parts, waiting_parts
from tests.recount import differences

__all__ = ["in_small_pieces"]
ALL_FLIPS = {"newly_failed": 20, "newly_succeeded": 20, "unchanged": 20}
STRICTER = CHECK.replace("otherwise: success", "otherwise: failure")


class Died(Exception):
    """Simulates a process that ends without any cleanup."""


def let_time_pass() -> None:
    """Make the heartbeat of every running part look expired."""
    RejudgingPart.objects.filter(status="running").update(heard_at=datetime(2026, 1, 1, tzinfo=UTC))


def at(monkeypatch, module, name: str, number: int, do) -> None:
    """Run `do` before this function is called for the given time."""
    calls, real = count(1), getattr(module, name)

    def instead(*args, **kwargs):
        if next(calls) == number:
            do()
        return real(*args, **kwargs)

    monkeypatch.setattr(module, name, instead)


def everything_was_judged_once(rejudging: Rejudging) -> None:
    assert (rejudging.status, rejudging.passed, flips(rejudging)) == ("done", 60, ALL_FLIPS)
    assert PastVerdict.objects.count() == Call.objects.filter(check_name="unified").count() == 60
    assert differences() == []


@pytest.mark.parametrize("at_chunk", [1, 4])
@pytest.mark.parametrize("ends", [True, False])
def test_a_process_that_resumes_after_losing_its_lease_writes_nothing(
    project, agent, in_small_pieces, monkeypatch, at_chunk, ends
):
    many(agent, 60, 3)
    unified(project, "*")

    def requeued():
        let_time_pass()
        assert waiting_parts()
        if ends:
            run_waiting_parts()
        else:
            assert claim_next(RejudgingPart.objects.all())

    at(monkeypatch, rejudging_parts, "outputs_of", at_chunk, requeued)
    rejudging = reclassified(project)
    if not ends:
        assert rejudging.status == "running"
        let_time_pass()
        waiting_parts()
        run_waiting_parts()
        rejudging.refresh_from_db()
    everything_was_judged_once(rejudging)


def test_an_impact_preview_run_by_two_processes_counts_each_call_once(
    project, agent, in_small_pieces, monkeypatch
):
    many(agent, 60, 3)

    def requeued():
        let_time_pass()
        assert waiting_parts()
        run_waiting_parts()

    at(monkeypatch, rejudging_parts, "outputs_of", 3, requeued)
    rejudging = tried(project)
    assert (rejudging.status, rejudging.passed, flips(rejudging)) == ("done", 60, ALL_FLIPS)


def test_a_process_that_lost_a_job_can_neither_end_nor_requeue_it(project, agent):
    agent.post(ran(OK))
    start_reclassification(project.pk, by=EDITOR, criteria=CallCriteria())
    first = claim_next(RejudgingPart.objects.all())
    let_time_pass()
    waiting_parts()
    second = claim_next(RejudgingPart.objects.all())
    assert first is not None
    assert second is not None
    jobs.put_back(first)
    assert not jobs.note(first, passed=7)
    assert not jobs.end(first, RejudgingPart.Status.DONE)
    assert jobs.note(second, passed=1)
    assert RejudgingPart.objects.get().passed == 1
    assert jobs.end(second, RejudgingPart.Status.DONE)


@pytest.mark.parametrize("word", ["end", "end_if_all_did"])
def test_a_process_that_dies_while_finishing_leaves_no_job_running(
    project, agent, monkeypatch, word
):
    many(agent, 60, 3)
    unified(project, "*")
    module = jobs if word == "end" else rejudging_parts

    def dies(*_):
        raise Died

    with monkeypatch.context() as patched:
        patched.setattr(module, word, dies)
        for _ in range(2):
            with pytest.raises(Died):
                reclassified(project) if not Rejudging.objects.exists() else run_again()
    run_again()
    everything_was_judged_once(Rejudging.objects.get())


def run_again() -> None:
    let_time_pass()
    waiting_parts()
    run_waiting_parts()


def test_repeated_deaths_with_progress_do_not_fail_a_job(
    project, agent, in_small_pieces, monkeypatch
):
    many(agent, 60, 1)
    unified(project, "*")
    commits, commit = count(1), reclassifying.reclassify

    def dies(*args):
        if next(commits) % 3 == 0:
            raise Died
        return commit(*args)

    monkeypatch.setattr(reclassifying, "reclassify", dies)
    deaths = 0
    with pytest.raises(Died):
        reclassified(project)
    while Rejudging.objects.get().status == "running":
        try:
            run_again()
        except Died:
            deaths += 1
    assert deaths > jobs.TRIES
    everything_was_judged_once(Rejudging.objects.get())


def test_an_older_job_never_overwrites_verdicts_of_a_newer_version(
    project, agent, in_small_pieces, monkeypatch
):
    """Two jobs run over the same calls; the later one completes in the middle of the first."""
    many(agent, 60, 3)
    unified(project, "*")

    def newer():
        save_check(project, document=STRICTER, by=EDITOR)
        start_reclassification(project.pk, by=EDITOR, criteria=CallCriteria())
        run_waiting_parts()

    at(monkeypatch, rejudging_parts, "outputs_of", 3, newer)
    reclassified(project)
    run_waiting_parts()
    assert {each.status for each in Rejudging.objects.all()} == {"done"}
    assert set(Call.objects.values_list("check_version", "classified")) == {(2, "failure")}
    assert {each.passed for each in Rejudging.objects.all()} == {60}
    assert differences() == []


def test_a_job_overtaken_by_an_older_version_classifies_again(project, agent, monkeypatch):
    agent.post(ran(OK), ran(NOT_OK, 1), ran("Error: x", 2))
    unified(project, "*")
    older = judges(project.pk)
    save_check(project, document=STRICTER, by=EDITOR)

    def overtaken():
        with monkeypatch.context() as patched:
            patched.setattr(rejudging_parts, "judges", lambda _: older)
            start_reclassification(project.pk, by=EDITOR, criteria=CallCriteria())
            run_waiting_parts()

    at(monkeypatch, rejudging_parts, "outputs_of", 1, overtaken)
    reclassified(project)
    assert set(Call.objects.values_list("check_version", flat=True)) == {2}
    rows = Rejudging.objects.earliest("id")
    assert flips(rows) == {"newly_failed": 2, "unchanged": 1}
    assert differences() == []


def test_a_call_changed_during_the_run_is_classified_in_its_new_state(project, agent, monkeypatch):
    agent.post(ran(NOT_OK, call_id="c"), ran(OK, 1), ran("Error: x", 2))
    unified(project, "*")
    at(
        monkeypatch, rejudging_parts, "outputs_of", 1,
        lambda: agent.post(ran(NOT_OK | {"more": 1}, 60, call_id="c")),
    )  # fmt: skip
    rejudging = reclassified(project)
    assert flips(rejudging) == {"newly_succeeded": 1, "unchanged": 2}
    assert rejudging.passed == 3
    assert differences() == []


def test_calls_removed_during_the_run_are_neither_classified_nor_counted(
    project, agent, monkeypatch
):
    many(agent, 12, 1)
    unified(project, "*")

    gone = Call.objects.filter(session=None)
    at(monkeypatch, reclassifying, "reclassify", 1, gone.delete)
    rejudging = reclassified(project)
    assert rejudging.status == "done"
    assert rejudging.passed == Call.objects.count()
    assert set(Call.objects.values_list("check_name", flat=True)) == {"unified"}


@pytest.mark.parametrize("place", ["outputs_of", "end_if_all_did", "begin"])
@pytest.mark.parametrize("ask", [tried, reclassified])
def test_a_job_deleted_during_the_run_ends_without_an_error(
    project, agent, monkeypatch, place, ask
):
    many(agent, 6, 1)
    unified(project, "*")
    at(monkeypatch, rejudging_parts, place, 1, Rejudging.objects.all().delete)
    with pytest.raises(Rejudging.DoesNotExist):
        ask(project)  # which reads the job again at its end
    assert waiting_parts() == []
    assert differences() == []


def test_figures_of_a_rolled_back_transaction_are_not_counted(project, agent, monkeypatch):
    """The database rejects a transaction at its end, and it is retried from the start."""
    many(agent, 60, 3)
    unified(project, "*")
    notes, note = count(1), jobs.note

    def refused(*args, **figures):
        noted = note(*args, **figures)
        if "place" in figures and next(notes) % 2:
            raise OperationalError("deadlock detected")
        return noted

    monkeypatch.setattr(jobs, "note", refused)
    everything_was_judged_once(reclassified(project))
