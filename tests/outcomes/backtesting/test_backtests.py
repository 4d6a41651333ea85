"""Backtests over calls that were posted and processed."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.errors import DocumentInvalid, Forbidden, InvalidInput
from outcomes.backtesting import commands as backtests
from outcomes.backtesting.commands import cancel_backtest, start_backtest, waiting_backtests
from outcomes.models import Backtest
from outcomes.recorded_calls.selection import CallCriteria
from tests import builders
from tests.governance.contracts.documents import document, post, pre
from tests.outcomes.backtests import EDITOR, backtested
from tests.outcomes.waiting_jobs import run_waiting_backtests

RM = pre("{args.command: {contains: rm}}", rule_id="no-rm")
SESSION = "{{id: limits, type: session, limits: {}, then: {{action: block, message: m}}}}"


def ran(command="ls", **fields):
    return builders.an_outcome(tool_name="shell", tool_args={"command": command}, **fields)


def denied(rule, reason="contract", **fields):
    return ran("rm x", type="denied", reason=reason, decision_name=rule, **fields)


def limited(**limits):
    return SESSION.format(str(limits).replace("'", ""))


def figures(backtest):
    names = "newly_denied newly_allowed newly_asking changed undetermined unchanged"
    return {name: count for name in names.split() if (count := getattr(backtest, name))}


def in_order(*items, session="s-1"):
    return [
        item | {"session_id": session, "timestamp": f"2026-11-18T06:{number:02}:00Z"}
        for number, item in enumerate(items)
    ]


def test_a_new_rule_newly_denies_calls_that_were_allowed(project, agent):
    agent.post(ran(), ran("rm -r"), ran("rm x", type="failure", error="no"))
    backtest = backtested(project, document(RM))
    assert backtest.status == "done"
    assert figures(backtest) == {"newly_denied": 2, "unchanged": 1}
    assert backtest.result["by_rule"]["no-rm"]["newly_denied"] == 2
    assert backtest.result["by_tool"]["shell"]["unchanged"] == 1
    assert len(backtest.result["samples"]["newly_denied"]) == 2


def test_the_server_environment_is_neither_evaluated_nor_stored(project, agent, monkeypatch):
    monkeypatch.setenv("SECRET", "hunter2")
    agent.post(ran(), ran("rm -r"))
    sees = pre("{env.SECRET: {exists: true}}", rule_id="sees", message="{env.SECRET}")
    backtest = backtested(project, document(sees, RM))
    assert (backtest.newly_denied, backtest.result["by_rule"]["no-rm"]["newly_denied"]) == (1, 1)
    assert "sees" not in backtest.result["by_rule"]
    assert "hunter2" not in json.dumps(backtest.result)


def test_each_decision_is_compared_with_the_recorded_one(project, agent):
    agent.post(
        denied("no-rm"),
        denied("another"),
        ran(type="denied", reason="contract", decision_name="gone"),
        ran("rm x", type="denied", reason="approval"),
        ran(type="denied", reason="duplicate"),
        ran(type="denied", reason="workflow"),
    )
    backtest = backtested(project, document(RM))
    assert figures(backtest) == {
        "unchanged": 1,
        "changed": 1,
        "newly_allowed": 1,
        "newly_denied": 1,
    }
    assert backtest.result["not_replayed"] == {"duplicate": 1, "workflow": 1}
    assert backtest.not_replayed == 2
    assert backtest.calls == 4


def test_a_rule_that_requires_approval_is_counted_as_newly_asking(project, agent):
    agent.post(ran("rm x"))
    asks = pre("{args.command: {contains: rm}}", rule_id="ask", action="ask")
    assert figures(backtested(project, document(asks))) == {"newly_asking": 1}


def test_rules_can_match_the_principal_and_the_environment(project, agent):
    agent.post(
        ran(principal={"role": "analyst"}), ran(principal={"role": "admin"}), ran(principal=None)
    )
    role = pre("{principal.role: {equals: analyst}}")
    here = pre("{environment: {equals: production}}", rule_id="here")
    assert figures(backtested(project, document(role))) == {"newly_denied": 1, "unchanged": 2}
    assert figures(backtested(project, document(here))) == {"newly_denied": 3}


def test_stored_outputs_are_evaluated(project, agent):
    agent.post(
        ran(output="a secret"), ran(output="nothing"), ran(), ran(output="secret" + "x" * 20_000)
    )
    backtest = backtested(project, document(post("warn")))
    assert figures(backtest) == {"changed": 1, "unchanged": 3}
    assert backtest.result["missing"] == {"p": {"output": 2}}


def test_sdk_events_are_replayed_and_masked_arguments_are_reported_as_missing(project, agent):
    hidden = {"command": "[REDACTED]"}
    for call_id, arguments in (("c-1", {"command": "rm"}), ("c-2", hidden)):
        for action in ("call_allowed", "call_executed"):
            event = builders.an_event(action, call_id, tool_name="shell", tool_args=arguments)
            agent.post_events(event)
    backtest = backtested(project, document(RM))
    assert figures(backtest) == {"newly_denied": 1, "unchanged": 1}
    assert backtest.result["missing"] == {"no-rm": {"args.command": 1}}


def test_events_in_an_older_format_are_replayed(project, agent):
    payload = {"tool_args": {"command": "rm"}, "principal": None}
    event = {
        "call_id": "c-1",
        "agent_id": "bot",
        "tool_name": "shell",
        "verdict": "call_executed",
        "mode": "enforce",
        "timestamp": "2026-11-18T06:00:00Z",
        "payload": payload,
    }
    agent.post_events(event)
    assert figures(backtested(project, document(RM))) == {"newly_denied": 1}


def test_conflicting_events_are_merged_as_in_settling(project, agent):
    agent.post(ran("ls", call_id="c-1"), ran("rm", call_id="c-1"))
    strongest = agent.outcome("c-1")["tool_args"]["command"]
    backtest = backtested(project, document(RM))
    assert figures(backtest) == {"newly_denied" if strongest == "rm" else "unchanged": 1}


def test_a_lower_limit_denies_the_call_at_which_each_session_hits_it(project, agent):
    for session in ("s-1", "s-2"):
        agent.post(*in_order(*[ran() for _ in range(5)], session=session))
    backtest = backtested(project, document(limited(max_tool_calls=3)))
    assert figures(backtest) == {"newly_denied": 2, "undetermined": 2, "unchanged": 6}
    assert backtest.result["by_session"]["production/s-1"]["newly_denied"] == 1
    limits = backtest.result["session_limits"]["limits"]
    (limit,) = [each for each in limits if not each["assumed"]]
    assert limit["sessions"] == {"recorded": 0, "executions": 2, "reported": 0, "classified": 0}


def test_calls_before_the_period_count_toward_its_limits(project, agent):
    agent.post(*in_order(*[ran() for _ in range(5)]))
    since = datetime(2026, 11, 18, 6, 3, tzinfo=UTC)
    backtest = backtested(project, document(limited(max_tool_calls=4)), since=since)
    assert figures(backtest) == {"unchanged": 1, "newly_denied": 1}
    assert (backtest.total, backtest.passed) == (2, 2)


@pytest.mark.slow
def test_a_backtest_can_be_limited_to_agents_tools_environment_and_period(project, agent):
    elsewhere = builders.bearing(builders.a_key(project, "ingest", env="staging")[0])
    type(agent)(elsewhere).post(ran("rm", agent_id="far"))
    agent.post(
        ran("rm", agent_id="billing-1"),
        ran("rm", agent_id="crm"),
        builders.an_outcome(tool_name="other", agent_id="crm"),
    )
    rules = document(RM)
    assert backtested(project, rules).calls == 4
    assert backtested(project, rules, agents=["billing-*"]).calls == 1
    assert backtested(project, rules, tools=["shell"]).calls == 3
    assert backtested(project, rules, environment="staging").calls == 1
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    assert backtested(project, rules, until=long_ago).calls == 0


def test_different_decisions_of_the_deployed_rules_are_counted_as_drift(project, agent):
    version, _ = save_version(project, document=document(RM), by=CONSOLE)
    builders.deployed(version, at=datetime(2026, 11, 18, tzinfo=UTC))
    agent.post(*in_order(ran("rm"), denied("no-rm"), ran()))
    backtest = backtested(project, document(RM))
    assert backtest.drift == 1
    assert figures(backtest) == {"newly_denied": 1, "unchanged": 2}


def test_an_output_already_changed_by_the_deployed_rules_is_unchanged(project, agent):
    version, _ = save_version(project, document=document(post("warn")), by=CONSOLE)
    builders.deployed(version, at=datetime(2026, 11, 18, tzinfo=UTC))
    agent.post(*in_order(ran(output="secret"), ran(output="none")))
    changed = document(post("warn"), pre("{args.command: {equals: nothing}}"))
    assert figures(backtested(project, changed)) == {"unchanged": 2}


def test_a_saved_version_can_be_replayed(project, agent):
    agent.post(ran("rm"))
    version, _ = save_version(project, document=document(RM), by=CONSOLE)
    start_backtest(project.pk, by=EDITOR, version=version.pk, criteria=CallCriteria())
    run_waiting_backtests()
    backtest = Backtest.objects.get()
    assert (backtest.bundle_name, backtest.revision_hash) == ("d", version.revision_hash)
    assert figures(backtest) == {"newly_denied": 1}


def test_observe_mode_denials_change_nothing_and_are_counted(project, agent):
    agent.post(ran("rm"), ran())
    backtest = backtested(project, document(RM, mode="observe"))
    assert figures(backtest) == {"unchanged": 2}
    assert backtest.result["observed"] == {"no-rm": 1}


def test_a_cancelled_backtest_is_not_run(project, agent):
    agent.post(ran("rm"))
    backtest = start_backtest(project.pk, by=EDITOR, document=document(RM), criteria=CallCriteria())
    cancel_backtest(project.pk, backtest.pk, by=EDITOR)
    assert run_waiting_backtests() == 0
    assert Backtest.objects.get().status == "cancelled"
    assert cancel_backtest(project.pk, backtest.pk, by=EDITOR).status == "cancelled"


def test_a_backtest_whose_worker_died_is_retried_and_fails_after_three_tries(project, agent):
    start_backtest(project.pk, by=EDITOR, document=document(RM), criteria=CallCriteria())
    long_ago = datetime.now(UTC) - timedelta(minutes=5)
    for tries in (1, 2):
        Backtest.objects.update(status="running", heard_at=long_ago, tries=tries)
        assert waiting_backtests()
        assert Backtest.objects.get().status == "queued"
    Backtest.objects.update(status="running", heard_at=long_ago, tries=3)
    assert not waiting_backtests()
    backtest = Backtest.objects.get()
    assert backtest.status == "failed"
    assert "ended 3 times" in backtest.error


def test_a_running_backtest_with_a_recent_heartbeat_is_not_requeued(project, agent):
    start_backtest(project.pk, by=EDITOR, document=document(RM), criteria=CallCriteria())
    Backtest.objects.update(status="running", heard_at=datetime.now(UTC), tries=1)
    assert not waiting_backtests()
    assert Backtest.objects.get().status == "running"


def test_an_invalid_contract_cannot_be_backtested(project, agent):
    with pytest.raises(DocumentInvalid):
        start_backtest(project.pk, by=EDITOR, document="kind: Nothing", criteria=CallCriteria())
    with pytest.raises(DocumentInvalid):
        start_backtest(project.pk, by=EDITOR, document="\ud800", criteria=CallCriteria())


@pytest.mark.parametrize(
    "criteria",
    [
        CallCriteria(environment="nowhere"),
        CallCriteria(
            since=datetime(2026, 2, 1, tzinfo=UTC), until=datetime(2026, 1, 1, tzinfo=UTC)
        ),
        CallCriteria(agents=[""]),
        CallCriteria(tools=["a\0"]),
        CallCriteria(tools=["a"] * 51),
    ],
)
def test_an_invalid_selection_is_rejected(project, criteria):
    with pytest.raises(InvalidInput):
        start_backtest(project.pk, by=EDITOR, document=document(RM), criteria=criteria)


def test_a_viewer_can_neither_start_nor_cancel_a_backtest(project):
    viewer = type(EDITOR)(EDITOR.kind, 2, "viewer@example.test", None)
    with pytest.raises(Forbidden):
        start_backtest(project.pk, by=viewer, document=document(RM), criteria=CallCriteria())
    with pytest.raises(Forbidden):
        cancel_backtest(project.pk, 1, by=viewer)


def test_long_and_short_sessions_and_calls_without_one_are_all_replayed(
    project, agent, monkeypatch
):
    monkeypatch.setattr("outcomes.backtesting.replay.rows.ROWS", 4)
    monkeypatch.setattr("outcomes.backtesting.replay.selection.SESSIONS", 2)
    for number, size in enumerate([1, 3, 9, 2, 4, 5]):
        agent.post(*in_order(*[ran() for _ in range(size)], session=f"s-{number}"))
    agent.post(*[ran() for _ in range(11)])
    backtest = backtested(project, document(limited(max_tool_calls=4)))
    assert backtest.calls == backtest.passed == backtest.total == 35
    assert figures(backtest) == {"newly_denied": 2, "undetermined": 4, "unchanged": 29}


@pytest.mark.parametrize(
    "bound", ["HELPED_AFTER = -1", "READ_BYTES = 1", "ON_THEIR_WAY = 1", "READ_AT_ONCE = 3"]
)
def test_results_do_not_depend_on_the_batch_size(project, agent, monkeypatch, bound):
    name, value = bound.split(" = ")
    monkeypatch.setattr(f"outcomes.backtesting.replay.questions.{name}", int(value))
    monkeypatch.setattr("outcomes.backtesting.replay.rows.ROWS", 8)
    for session in range(5):
        calls = [ran(f"{'rm' if number % 3 == 0 else 'ls'} {number}") for number in range(6)]
        agent.post(*in_order(*calls, session=f"s-{session}"))
    backtest = backtested(project, document(RM))
    assert figures(backtest) == {"newly_denied": 10, "unchanged": 20}


def test_a_deployed_version_the_library_no_longer_accepts_causes_no_drift(project, agent):
    builders.deployed(builders.a_version(project), at=datetime(2026, 11, 18, tzinfo=UTC))
    agent.post(*in_order(ran("rm"), ran()))
    backtest = backtested(project, document(RM))
    assert figures(backtest) == {"newly_denied": 1, "unchanged": 1}
    assert backtest.drift == 0


def test_a_stopped_worker_requeues_its_backtest(project, agent, monkeypatch):
    agent.post(ran("rm"))
    start_backtest(project.pk, by=EDITOR, document=document(RM), criteria=CallCriteria())

    def stopped(self):
        raise SystemExit

    with monkeypatch.context() as patched:
        patched.setattr("outcomes.backtesting.replay.replay.Replay.run", stopped)
        with pytest.raises(SystemExit):
            run_waiting_backtests()
    backtest = Backtest.objects.get()
    assert (backtest.status, backtest.tries) == ("queued", 0)
    run_waiting_backtests()
    assert figures(Backtest.objects.get()) == {"newly_denied": 1}


def test_a_cancelled_backtest_stops_and_stores_its_partial_result(project, agent, monkeypatch):
    monkeypatch.setattr("outcomes.backtesting.replay.replay.REPORT_EVERY", 0.0)
    monkeypatch.setattr("outcomes.backtesting.replay.rows.ROWS", 1)
    agent.post(*[ran("rm") for _ in range(5)])
    backtest = start_backtest(project.pk, by=EDITOR, document=document(RM), criteria=CallCriteria())
    count = Backtest.objects.filter(pk=backtest.pk)
    note = backtests._note

    def noted_and_cancelled(backtest, progress, **more):
        went_on = note(backtest, progress, **more)
        if progress.passed == 2:
            cancel_backtest(project.pk, backtest.pk, by=EDITOR)
        return went_on

    monkeypatch.setattr("outcomes.backtesting.commands._note", noted_and_cancelled)
    run_waiting_backtests()
    result = count.get()
    assert result.status == "cancelled"
    assert result.passed == 2
    assert figures(result) == {"newly_denied": 2}
