"""Each call is classified by the check bound to it when it is processed."""

from governance.checks.queries.checks import Judges, judges
from outcomes.models import Call
from outcomes.settling import decode
from tests.builders import an_outcome
from tests.governance.naming import FAILS, a_check, bound
from tests.outcomes.posting import Agent
from tests.recount import differences

HTTP = (
    '{when: {"result.status ?? result.code": {gte: 400}}, id: http, verdict: failure,'
    ' reason: "HTTP {value}", label: retryable}'
)


def judged(agent: Agent, call_id: str) -> tuple[str, str, int, str]:
    call = agent.outcome(call_id)
    return call["verdict"], call["check"], call["version"], call["rule"]


def test_a_bound_check_decides_and_its_explanation_is_stored(project, agent: Agent):
    a_check(project, HTTP)
    bound(project, "http_* mine")
    agent.post(an_outcome("a", tool_name="http_get", output={"code": 503}, tool_success=True))
    call = agent.outcome("a")
    assert judged(agent, "a") == ("failure", "mine", 1, "http")
    assert (call["value"], call["verdict_reason"]) == (503, "HTTP 503")
    assert call["labels"] == ["retryable"]
    assert call["disagreement"]
    assert differences() == []


def test_the_first_binding_that_matches_environment_agent_and_tool_decides(project, agent: Agent):
    a_check(project, FAILS)
    bound(project, "staging * * mine", "* billing-* * mine", "* * search default")
    for call_id, bot in (("a", "billing-bot"), ("b", "another")):
        agent.post(an_outcome(call_id, agent_id=bot, tool_name="search", output={"ok": False}))
    assert judged(agent, "a")[:2] == ("failure", "mine")
    assert judged(agent, "b")[:2] == ("success", "default")


def test_a_call_is_classified_by_the_version_current_when_it_is_processed(project, agent: Agent):
    a_check(project, FAILS)
    bound(project, "* mine")
    agent.post(an_outcome("a", output={"bad": 1}))
    a_check(project, "{when: {result.bad: {exists: true}}, id: bad, verdict: failure}")
    agent.post(an_outcome("b", output={"bad": 1}))
    assert judged(agent, "a") == ("success", "mine", 1, "otherwise")
    assert judged(agent, "b") == ("failure", "mine", 2, "bad")
    bound(project)
    agent.post(an_outcome("c", output={"bad": 1}))
    assert judged(agent, "c")[:2] == ("success", "default")
    assert differences() == []


def test_a_later_event_reclassifies_a_call_only_if_it_changes_the_output(project, agent: Agent):
    a_check(project, FAILS)
    bound(project, "* mine")
    agent.post(an_outcome("a", output={"bad": 1}, timestamp="2026-11-18T06:00:00Z"))
    a_check(project, "{when: {result.bad: {exists: true}}, id: bad, verdict: failure}")
    agent.post(an_outcome("a", output={"bad": 1}, timestamp="2026-11-18T06:00:01Z", elapsed_ms=3))
    assert judged(agent, "a")[2] == 1
    agent.post(an_outcome("a", output={"bad": 2}, timestamp="2026-11-18T06:00:02Z"))
    assert judged(agent, "a") == ("failure", "mine", 2, "bad")


def test_a_large_output_is_classified_completely(project, agent: Agent):
    a_check(project, "{when: {result.rows: {length: {gte: 20000}}}, id: many, verdict: failure}")
    bound(project, "* mine")
    agent.post(an_outcome("a", output={"rows": list(range(20_000))}))
    assert agent.outcome("a")["type"] == "artifact_reference"
    assert judged(agent, "a")[3] == "many"


def test_an_unknown_verdict_is_neither_a_success_nor_a_disagreement(project, agent: Agent):
    a_check(project, "{when: {result.status: {equals: pending}}, id: p, verdict: unknown}")
    bound(project, "* mine")
    agent.post(an_outcome("a", output={"status": "pending"}, tool_success=True))
    call = agent.outcome("a")
    assert (call["verdict"], call["checked"], call["disagreement"]) == ("unknown", True, False)
    assert differences() == []


def test_timeouts_and_failures_need_no_check(project, agent: Agent):
    a_check(project, FAILS, otherwise="success")
    bound(project, "* mine")
    agent.post({"type": "failure", "call_id": "a", "tool_name": "t", "error": "boom"})
    call = agent.outcome("a")
    assert (call["verdict"], call["check"]) == ("failure", None)


def test_a_check_that_raises_does_not_block_its_batch_and_is_reported_on_its_calls(
    project, agent: Agent, monkeypatch
):
    a_check(project, FAILS)
    bound(project, "bad mine")

    def breaks(*_: object) -> None:
        raise RuntimeError("out of \0 luck")

    monkeypatch.setattr("governance.checks.language.named.NamedCheck.judge", breaks)
    broken = an_outcome("a", tool_name="bad", output=1, tool_success=False)
    agent.post(broken, an_outcome("b", output=1))
    call = agent.outcome("a")
    assert (call["verdict"], call["checked"], call["check"]) == ("failure", False, None)
    assert Call.objects.get(call_id="a").verdict_reason.startswith(
        "The check mine could not be evaluated: out of"
    )
    assert agent.outcome("b")["checked"]
    assert differences() == []


def test_a_slow_check_skips_its_remaining_outputs_and_does_not_delay_other_checks(
    project, agent: Agent, monkeypatch
):
    a_check(project, FAILS)
    a_check(project, FAILS, name="quick")
    bound(project, "slow_* mine", "quick_* quick")
    monkeypatch.setattr(decode, "SECONDS_OF_A_CHECK", 0)  # one output for each check
    agent.post(
        an_outcome("a", tool_name="slow_a", output={"ok": False}),
        an_outcome("b", tool_name="slow_b", output={"ok": False}, tool_success=True),
        an_outcome("c", tool_name="quick_c", output={"ok": False}),
        an_outcome("d", tool_name="fine", output={"ok": False}),
    )
    left = agent.outcome("b")
    assert (left["verdict"], left["check"]) == ("success", None)
    assert "too much work arrived at once" in left["verdict_reason"]
    assert [agent.outcome(each)["verdict"] for each in "acd"] == ["failure", "failure", "success"]
    assert differences() == []
    agent.post(an_outcome("e", tool_name="slow_e", output={"ok": False}))
    assert agent.outcome("e")["verdict"] == "failure"


def test_a_claim_loads_the_checks_of_a_project_once(project, agent: Agent, monkeypatch):
    a_check(project, FAILS)
    bound(project, "* mine")
    agent.post(an_outcome("first"))
    listed: list[int] = []

    def counted(project_id: int) -> Judges:
        listed.append(project_id)
        return judges(project_id)

    monkeypatch.setattr("outcomes.settling.decode.judges", counted)
    agent.post(*(an_outcome(f"c-{number}", output={"ok": False}) for number in range(50)))
    assert listed == [project.pk]
    assert Call.objects.filter(check_name="mine", classified="failure").count() == 50
