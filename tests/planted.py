"""Traffic with secrets in every field in which an agent can send one, posted to the real API."""

import json
from typing import Any, Final

from django.test import Client

from governance.models import Project
from governance.people.domain import new_key
from outcomes.suggestions.commands.scans import request_scan
from tests import builders
from tests.governance.naming import a_check, bound
from tests.items import an_event, an_outcome
from tests.outcomes.backtests import backtested
from tests.outcomes.posting import Agent
from tests.outcomes.waiting_jobs import run_waiting_looks

PASSWORD: Final = "correct-horse-battery"
SECRETS: Final = {
    "password": PASSWORD,
    "vendor key": "sk-live-" + "Qw7Zt9" * 4,
    "bearer token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwbGFudGVkIn0." + "c2lnbmF0dXJlLW9mLWl0",
    "cloud key": "AKIA" + "QWERTYUIOPASDFGH",
    "key of another project": new_key("production"),
}
SESSION: Final = "s-planted"
TOOLS: Final = ("login", "vault_read", "report", "flag_it")
TEXT: Final = (
    f"login failed: password={PASSWORD} {SECRETS['vendor key']} Bearer {SECRETS['bearer token']}"
    f" {SECRETS['cloud key']} {SECRETS['key of another project']}"
)
PLAIN: Final = f"not with {PASSWORD} today"  # message of a rule that includes the argument
FIELDS: Final[dict[str, Any]] = {
    "user": "ada",
    "password": PASSWORD,
    "headers": {"Authorization": f"Bearer {SECRETS['bearer token']}"},
    "note": [TEXT],
}
REPEATING: Final = FIELDS | {"note": [TEXT, PLAIN]}
LARGE: Final = {"password": PASSWORD, "log": [TEXT] * 80, "tail": {"credentials": [PASSWORD]}}
SEES_PASSWORD: Final = (
    "{when: {result.password: {exists: true}}, id: has-password, verdict: failure,"
    ' reason: "saw {value} and {result.password}"}'
)
RULES: Final = """apiVersion: edictum/v1
kind: ContractBundle
metadata: {name: planted}
defaults: {mode: enforce}
contracts:
  - id: no-login
    type: pre
    tool: login
    when: {args.password: {exists: true}}
    then: {effect: deny, message: "not with {args.password}"}
"""


def secrets_in(text: str) -> list[str]:
    """Names of the secrets that a text contains in full or by their last 14 characters."""
    return [name for name, secret in SECRETS.items() if secret in text or secret[-14:] in text]


def planted(project: Project) -> list[str]:
    """Post the traffic and return the call ids."""
    a_check(project, SEES_PASSWORD, name="vault")
    bound(project, "vault_read vault", "report vault")
    calls = _calls()
    agent = Agent(builders.bearing(builders.a_key(project, "ingest", "agent", "read")[0]))
    agent.post(*calls)
    agent.post_events(*_events())
    _rejected(agent)
    _other_reports(agent.client)
    backtested(project, RULES)
    request_scan(project.pk)
    run_waiting_looks()
    return [*(each["call_id"] for each in calls), "e-denied", "e-failed"]


def _calls() -> list[dict[str, Any]]:
    usual = {
        "session_id": SESSION,
        "turn_id": "t-1",
        "agent_id": "bot",
        "tool_args": REPEATING,
        "principal": {"user_id": "ada", "claims": {"api_key": PASSWORD}, "note": TEXT},
        "metadata": {"trace": TEXT, "secret": PASSWORD},
    }
    kinds: list[dict[str, Any]] = [
        {"tool_name": "login", "output": REPEATING, "idempotent": True},
        {"tool_name": "login", "output": TEXT},
        {"tool_name": "login", "output": json.dumps(FIELDS)},
        {"tool_name": "login", "type": "failure", "error": TEXT},
        {"tool_name": "login", "type": "failure", "error": json.dumps(FIELDS), "retryable": False},
        *[{"tool_name": "login", "type": "denied", "reason": "contract", "details": TEXT}] * 6,
        {"tool_name": "login", "type": "denied", "reason": SECRETS["vendor key"]},
        {"tool_name": "login", "type": "denied", "reason": "contract", "details": PLAIN},
        {"tool_name": "login", "type": "failure", "error": PLAIN},
        {"tool_name": "login", "type": "timeout", "deadline_s": 3},
        {
            "tool_name": "report",
            "type": "artifact_reference",
            "artifact_id": "elsewhere",
            "summary": json.dumps(FIELDS),
        },
        {"tool_name": "report", "output": LARGE},
        {"tool_name": "report", "output": (TEXT + "\n") * 80},
        {"tool_name": "vault_read", "output": FIELDS},
        {"tool_name": "vault_read", "output": {"password": "4-b", "is": TEXT}},
        *[{"tool_name": "flag_it", "output": {"ok": False, "error": TEXT, "token": PASSWORD}}] * 4,
    ]
    return [
        an_outcome(f"p-{number}", **{**usual, "elapsed_ms": number + 1, **kind})
        for number, kind in enumerate(kinds)
    ]


def _events() -> list[dict[str, Any]]:
    usual = {"run_id": SESSION, "agent_id": "bot", "tool_name": "login", "tool_args": FIELDS,
             "principal": {"claims": FIELDS}}  # fmt: skip
    return [
        an_event("call_blocked", "e-denied", reason=PLAIN, decision_name="no-login",
                 decision_source="yaml_precondition", **usual),
        an_event("call_failed", "e-failed", error=TEXT, reason=TEXT, **usual),
    ]  # fmt: skip


def _rejected(agent: Agent) -> None:
    agent.post(
        {"type": "failure", "call_id": "bad", "tool_name": "", "error": TEXT, "tool_args": FIELDS},
        {"type": TEXT, "call_id": "worse", "tool_name": "login", "tool_args": FIELDS},
        {"call_id": "cut", "tool_args": {"a": "x" * 380} | FIELDS},
    )


def _other_reports(client: Client) -> None:
    """Post other reports that agents send besides calls."""
    scan = {"agent_id": "bot", "skills": [{"name": "s", "violations": [{"message": TEXT}]}],
            "config": FIELDS}  # fmt: skip
    fields = {"agent_id": "bot", "tool_name": "login", "tool_args": REPEATING,
             "message": f"{PLAIN} {TEXT}", "timeout": 300}  # fmt: skip
    for path, body in (("skill-scan", scan), ("approvals", fields)):
        answer = client.post(f"/v1/{path}", body, content_type="application/json")
        assert answer.status_code < 300, answer.content
    put = client.put(
        f"/v1/sessions/s:{SESSION}:workflow", {"value": TEXT}, content_type="application/json"
    )
    assert put.status_code < 300, put.content
