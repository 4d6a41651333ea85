"""Impact previews of a check over recorded calls, and reclassification of their verdicts."""

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from governance.checks.commands.bindings import bind
from governance.checks.commands.checks import save_check
from governance.checks.domain import Binding
from governance.core.actor import Actor, ActorKind
from governance.core.errors import DocumentInvalid, Forbidden, InvalidInput, NotFound
from governance.core.roles import Role
from governance.models import Project
from outcomes.artifacts.queries.outputs import outputs_of
from outcomes.figures.queries.stats import By, figures_by
from outcomes.models import Call, PastVerdict, Rejudging, RejudgingPart
from outcomes.reclassification import selection as choosing
from outcomes.reclassification.commands import parts as rejudging_parts
from outcomes.reclassification.commands import verdicts as reclassifying
from outcomes.reclassification.commands.jobs import (
    cancel_rejudging,
    start_check_backtest,
    start_reclassification,
)
from outcomes.recorded_calls.selection import CallCriteria
from outcomes.stored import names
from outcomes.stored.queries import CallFilter
from tests import builders
from tests.examples import with_a_database
from tests.outcomes.backtests import EDITOR
from tests.outcomes.posting import Agent, settle
from tests.outcomes.rejudging import CHECK, flips, reclassified, tried
from tests.outcomes.settling.test_settle_exactness import (
    batches_of,
    identity,
    item,
    reported,
    send,
)
from tests.outcomes.waiting_jobs import run_waiting_parts, waiting_parts
from tests.recount import differences

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
OK, NOT_OK, PENDING = {"ok": True}, {"ok": False}, {"state": "pending"}


def ran(output, number=0, **fields):
    at = (NOON + timedelta(seconds=number)).isoformat()
    return builders.an_outcome(**{"output": output, "session_id": "s", "timestamp": at} | fields)


def unified(project: Project, *globs: str, text: str = CHECK) -> None:
    """Save the check and bind it to tools that match these names."""
    save_check(project, document=text, by=EDITOR)
    bind(project, [Binding("*", "*", glob, "unified") for glob in globs], by=EDITOR)


def test_verdicts_flip_in_both_directions(project, agent):
    agent.post(
        ran(OK), ran(NOT_OK), ran(PENDING), ran("Error: x"), ran({"is_error": True}), ran(None)
    )
    rejudging = tried(project)
    assert (rejudging.status, rejudging.progress) == ("done", 1.0)
    assert flips(rejudging) == {
        "newly_failed": 1, "newly_succeeded": 2, "otherwise_changed": 1, "unchanged": 2,
    }  # fmt: skip
    (sample,) = rejudging.result["flips"]["samples"]["newly_failed"]
    assert (sample["rule"], sample["before"], sample["after"]) == ("not-ok", "success", "failure")
    assert rejudging.result["flips"]["by_rule"]["unified: otherwise"]["judged"] == 4


def test_an_impact_preview_writes_nothing(project, agent):
    agent.post(ran(NOT_OK), ran("Error: x"))
    before = list(Call.objects.order_by("id").values())
    tried(project)
    assert list(Call.objects.order_by("id").values()) == before
    assert not PastVerdict.objects.exists()


def test_calls_without_a_check_are_unchanged(project, agent):
    agent.post(
        ran(None, type="timeout"),
        ran(None, type="failure", error="x"),
        ran(None, type="denied", reason="contract"),
        ran(None, type="artifact_reference", artifact_id="kept elsewhere", summary="…"),
    )
    agent.post_events(builders.an_event("call_executed", tool_success=True))
    rejudging = tried(project)
    assert flips(rejudging) == {"unchanged": 4}
    assert rejudging.result["flips"]["judged"] == 0
    assert rejudging.result["flips"]["not_checked"] == {
        "No result was reported.": 1,
        "The output is stored by the agent.": 1,
    }


def test_a_large_output_is_classified_completely(project, agent):
    agent.post(ran({"ok": False, "log": "x" * 20_000}))
    assert flips(tried(project)) == {"newly_failed": 1}


def test_success_rates_before_and_after_are_listed_by_tool(project, agent):
    agent.post(*[ran(NOT_OK, tool_name="crm") for _ in range(3)], ran(OK, tool_name="web"))
    rows = tried(project).result["flips"]["by_tool"]
    assert (rows["crm"]["before_success"], rows["crm"]["after_failure"]) == (3, 3)
    assert rows["web"]["after_success"] == 1


def test_a_session_hits_its_limit_later_when_successes_become_failures(project, agent):
    builders.deployed(builders.a_version(project, max_tool_calls=2), at=NOON - timedelta(days=1))
    agent.post(*[ran(out, number) for number, out in enumerate([OK, NOT_OK, OK, "Error: x"])])
    shifts = tried(project).result["shifts"]
    assert shifts["sessions"] == 1
    row = next(row for row in shifts["by_limit"] if row["value"] == 2)
    assert row["later"] == 1
    assert row["samples"]["later"][0] | {"environment": ""} == {
        "environment": "", "session": "s", "before": 2, "after": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("criteria", "judged"),
    [
        ({}, 4),
        ({"tools": ["crm*"]}, 2),
        ({"agents": ["other-*"]}, 1),
        ({"since": NOON + timedelta(seconds=2)}, 2),
        ({"until": NOON + timedelta(seconds=2)}, 2),
        ({"environment": "production", "tools": ["web"], "agents": ["bot"]}, 1),
    ],
)
def test_only_the_selected_calls_are_classified(project, agent, criteria, judged):
    agent.post(
        ran(NOT_OK, 0, tool_name="crm", agent_id="bot"),
        ran(NOT_OK, 1, tool_name="crm_2", agent_id="other-bot"),
        ran(NOT_OK, 2, tool_name="web", agent_id="bot", session_id=None),
        ran(NOT_OK, 3, tool_name="mail", agent_id="bot"),
    )
    assert flips(tried(project, **criteria)) == {"newly_failed": judged}


def test_a_bound_check_is_previewed_on_the_calls_it_classifies(project, agent):
    agent.post(ran(NOT_OK, tool_name="crm"), ran(NOT_OK, tool_name="web"))
    unified(project, "crm")
    assert flips(tried(project, scope="")) == {"newly_failed": 1}
    assert flips(tried(project, CHECK.replace("unified", "unbound"), "")) == {"newly_failed": 2}


def test_an_invalid_check_is_rejected_with_its_line(project):
    with pytest.raises(DocumentInvalid) as refused:
        tried(project, CHECK.replace("equals", "equal"))
    assert refused.value.errors[0].line == 7


def test_starting_a_reclassification_requires_the_editor_role_and_a_valid_filter(project):
    viewer = Actor(ActorKind.PERSON, 1, "viewer@example.test", Role.VIEWER)
    with pytest.raises(Forbidden):
        start_reclassification(project.pk, by=viewer, criteria=CallCriteria())
    with pytest.raises(InvalidInput):
        reclassified(project, since=NOON, until=NOON)
    with pytest.raises(InvalidInput):
        reclassified(project, environment="no such")
    assert not Rejudging.objects.exists()


def test_a_preview_without_calls_is_done_at_once(project):
    rejudging = tried(project)
    assert (rejudging.status, flips(rejudging)) == ("done", {})


def test_reclassified_calls_have_the_verdict_of_the_currently_bound_check(project, agent):
    agent.post(ran(NOT_OK), ran(OK, 1), ran("Error: x", 2, tool_success=False))
    unified(project, "*")
    rejudging = reclassified(project)
    assert rejudging.status == "done"
    assert flips(rejudging) == {"newly_failed": 1, "newly_succeeded": 1, "unchanged": 1}
    session = agent.session("s")
    assert session["counts"]["successes"] == 2
    assert {each["check"] for each in agent.outcomes()} == {"unified"}
    assert sum(each["disagreement"] for each in agent.outcomes()) == 1
    assert differences() == []


def test_earlier_verdicts_are_stored_with_the_version_that_gave_them(project, agent):
    agent.post(ran(NOT_OK, call_id="c"))
    unified(project, "*")
    reclassified(project)
    save_check(project, document=CHECK.replace("not-ok", "refused"), by=EDITOR)
    reclassified(project)
    answer = agent.outcome("c")["verdicts"]
    assert [(each["check"], each["version"], each["verdict"], each["rule"]) for each in answer] == [
        ("unified", 2, "failure", "refused"),
        ("unified", 1, "failure", "not-ok"),
        ("default", 1, "success", "otherwise"),
    ]
    assert [each["at"] for each in answer] == sorted((each["at"] for each in answer), reverse=True)


def test_repeating_a_reclassification_changes_nothing(project, agent):
    agent.post(ran(NOT_OK), ran(OK))
    unified(project, "*")
    reclassified(project)
    before = list(Call.objects.order_by("id").values())
    assert flips(reclassified(project)) == {"unchanged": 2}
    assert list(Call.objects.order_by("id").values()) == before
    assert PastVerdict.objects.count() == 2


def in_a_project_of_its_own() -> tuple[Project, Agent]:
    names.forget()
    project = builders.a_project()
    builders.deployed(builders.a_version(project, max_tool_calls=2), at=NOON)
    key = builders.a_key(project, "agent", "read")[0]
    return project, Agent(builders.bearing(key))


def figures_of(project: Project) -> dict[By, object]:
    kinds: tuple[By, ...] = ("tool", "agent", "reason", "hour")
    return {by: figures_by(project.pk, by, CallFilter(), durations=True) for by in kinds}


FAILS = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: unified}
otherwise: failure
rules:
  - {id: texts, when: {result: {type: string}}, verdict: unknown}
  - {id: flags, when: {result: {type: object}}, verdict: success}
"""


@pytest.mark.slow
@with_a_database(25)
@given(
    sent=st.lists(item, min_size=1, max_size=12, unique_by=identity),
    order=st.randoms(use_true_random=False),
    cuts=st.lists(st.integers(0, 60), max_size=3),
)
def test_reclassified_calls_equal_calls_classified_that_way_from_the_start(db, sent, order, cuts):
    with transaction.atomic():
        later, agent = in_a_project_of_its_own()
        first, other = in_a_project_of_its_own()
        unified(first, "*", text=FAILS)
        order.shuffle(sent)
        for each in (agent, other):
            for batch in batches_of(sent, cuts):
                send(each, batch)
                settle()
        unified(later, "*", text=FAILS)
        reclassified(later)
        assert reported(agent) == reported(other)
        assert [agent.session(s) for s in seen(agent)] == [other.session(s) for s in seen(other)]
        assert figures_of(later) == figures_of(first)
        assert differences() == []
        transaction.set_rollback(True)


def seen(agent: Agent) -> list[str]:
    return sorted({call["session_id"] for call in agent.outcomes() if call["session_id"]})


def many(agent: Agent, calls: int, sessions: int) -> None:
    outputs = [OK, NOT_OK, "Error: x"]
    agent.post(
        *[
            ran(outputs[each % 3], each, session_id=f"s-{each % sessions}" if each % 7 else None)
            for each in range(calls)
        ]
    )


@pytest.fixture
def in_small_pieces(monkeypatch):
    monkeypatch.setattr(choosing, "ROWS", 5)
    monkeypatch.setattr(choosing, "SESSIONS", 2)
    monkeypatch.setattr(choosing, "CALLS_OF_A_PART", 8)
    monkeypatch.setattr(rejudging_parts, "AT_ONCE", 3)


def test_the_parts_of_a_job_add_up_to_the_total(project, agent, in_small_pieces, monkeypatch):
    many(agent, 60, 4)
    rejudging = tried(project)
    assert RejudgingPart.objects.filter(rejudging=rejudging).count() > 2
    assert flips(rejudging) == {"newly_failed": 20, "newly_succeeded": 20, "unchanged": 20}
    assert rejudging.passed == rejudging.total == 60
    unified(project, "*")
    assert flips(reclassified(project)) == flips(rejudging)
    assert differences() == []


@pytest.mark.parametrize("killed_at", [1, 2, 3, 5, 8, 12])
def test_a_process_that_dies_during_the_run_loses_and_duplicates_nothing(
    project, agent, in_small_pieces, monkeypatch, killed_at
):
    many(agent, 60, 3)
    unified(project, "*")
    commits, commit = count(1), reclassifying.reclassify

    def killed(*args):
        if next(commits) == killed_at:
            raise SystemExit
        return commit(*args)

    monkeypatch.setattr(reclassifying, "reclassify", killed)
    with pytest.raises(SystemExit):
        reclassified(project)
    run_waiting_parts()
    rejudging = Rejudging.objects.get()
    assert rejudging.status == "done"
    assert flips(rejudging) == {"newly_failed": 20, "newly_succeeded": 20, "unchanged": 20}
    assert rejudging.passed == 60
    assert differences() == []


def test_a_cancelled_run_leaves_complete_chunks_and_its_progress(
    project, agent, in_small_pieces, monkeypatch
):
    many(agent, 60, 3)
    unified(project, "*")
    chunks, read = count(1), outputs_of

    def cancelled(rows):
        if next(chunks) == 4:
            running = Rejudging.objects.get()
            cancel_rejudging(project.pk, running.pk, running.kind, by=EDITOR)
        return read(rows)

    monkeypatch.setattr(rejudging_parts, "outputs_of", cancelled)
    rejudging = reclassified(project)
    assert rejudging.status == "cancelled"
    changed = Call.objects.filter(check_name="unified").count()
    assert 0 < changed == rejudging.passed < 60
    assert sum(flips(rejudging).values()) == rejudging.passed
    assert not RejudgingPart.objects.exclude(status__in=["done", "cancelled"]).exists()
    assert differences() == []


def test_a_job_of_another_project_cannot_be_cancelled(project, agent):
    agent.post(ran(OK))
    rejudging = tried(project)
    with pytest.raises(NotFound):
        cancel_rejudging(builders.a_project().pk, rejudging.pk, rejudging.kind, by=EDITOR)
    with pytest.raises(NotFound):
        cancel_rejudging(project.pk, rejudging.pk, "reclassification", by=EDITOR)


def test_a_part_whose_worker_died_is_retried_and_fails_after_three_tries(project, agent):
    agent.post(ran(NOT_OK))
    start_check_backtest(project.pk, by=EDITOR, text=CHECK, scope="all", criteria=CallCriteria())
    lost = {"status": "running", "heard_at": NOON - timedelta(days=1)}
    RejudgingPart.objects.update(**lost, tries=1)
    Rejudging.objects.update(status="running")
    assert len(waiting_parts()) == 1
    RejudgingPart.objects.update(**lost, tries=3)
    assert waiting_parts() == []
    waiting_parts()
    rejudging = Rejudging.objects.get()
    assert rejudging.status == "failed"
    assert "ended 3 times" in rejudging.error
