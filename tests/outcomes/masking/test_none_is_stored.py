"""With masking before storing, no secret in a load of every kind is stored anywhere."""

import json
import logging
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import duckdb
import pytest
from django.test import Client

from edictum_site.backup.making import make_backup
from edictum_site.logs import JsonLine
from governance.approvals.commands import decide
from governance.core.actor import person
from governance.core.masks.detectors import Detector
from governance.core.roles import Role
from governance.models import Approval, DetectorTotal
from outcomes.masking.commands.rules import set_masking
from outcomes.models import Artifact, Call, RejectedItem, Session
from outcomes.retention.commands.archive import archive_due
from outcomes.sessions.commands.notes import write_note
from tests import builders
from tests.edictum_site.backup.installation import PROGRAMS
from tests.items import an_event
from tests.outcomes.masking.planted import Planting, leaked, stored_texts, texts_of_backup
from tests.outcomes.posting import Agent, settle
from tests.outcomes.traces.spans import a_span, as_json

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

SECRETS = 200
ADMIN = person(1, "admin@example.test", Role.ADMIN)


@pytest.fixture(autouse=True)
def _places(settings, tmp_path, monkeypatch):
    settings.DATA = tmp_path
    settings.ARCHIVE = str(tmp_path / "archive")
    monkeypatch.setenv("EDICTUM_SITE_PG_BIN", str(PROGRAMS))


def masks(project) -> None:
    detectors = [each.value for each in Detector]
    patterns = r"badge inside BADGE-\d{9}"
    set_masking(project, before_storing=True, detectors=detectors, patterns=patterns, by=ADMIN)


class Load:
    """Posts of an agent, reproducible by seed."""

    def __init__(self, project) -> None:
        self.project = project
        self.client: Client = builders.bearing(builders.a_key(project, "agent", "manage")[0])
        self.agent = Agent(self.client)
        self.planting = Planting()

    @property
    def secrets(self) -> list[str]:
        return self.planting.secrets

    def post_all(self) -> None:
        number = 0
        while len(self.secrets) < SECRETS:
            number += 1
            self._post(number)
        settle()
        self._approvals_and_notes()

    def _post(self, number: int) -> None:
        plant, session = self.planting.next, f"s-{number % 3}"
        common = {"agent_id": "bot", "session_id": session, "timestamp": _at(number)}
        repeated = {"password": self.planting.password(), "q": plant()}
        outcomes: list[Any] = [
            self._result(f"args-{number}", {"ok": True}, tool_args=repeated),
            self._result(f"loop-{number}", {"ok": True}, tool_args=repeated),
            self._result(f"text-{number}", f"Signed in with {plant()}, all good"),
            self._result(f"bad-{number}", f"Error: {plant()} was refused"),
            self._result(f"deep-{number}", {"rows": [{"note": plant(), "n": number}]}),
            self._result(f"large-{number}", {"rows": ["word"] * 3_000, "key": plant()}),
            {"type": "failure", "call_id": f"err-{number}", "error": f"Login {plant()} failed"},
            {
                "type": "denied",
                "call_id": f"no-{number}",
                "reason": "contract",
                "details": f"No {plant()} here",
            },
            {"type": "nonsense", "call_id": plant(), "output": self.planting.password()},
        ]
        principal = {"user_id": plant(), "api_key": self.planting.password()}
        outcomes[4] |= {"principal": principal, "metadata": {"trace": plant()}}
        body = {"outcomes": [{"tool_name": "http_get"} | common | each for each in outcomes]}
        body["outcomes"][-1]["password"] = body["outcomes"][-1].pop("output")
        self._sent("/v1/outcomes", body)
        events = [
            an_event("call_executed", f"ev-{number}", tool_args={"header": f"Bearer {plant()}"}),
            an_event("call_blocked", f"evno-{number}", reason=f"{plant()} is not allowed"),
        ]
        self._sent("/v1/events", {"events": events, "agent_manifest": {"token": plant()}})
        span = a_span(
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "crm_lookup",
                "gen_ai.tool.call.id": f"span-{number}",
                "gen_ai.tool.call.arguments": json.dumps({"to": plant()}),
                "gen_ai.tool.call.result": json.dumps({"found": plant()}),
            }
        )
        answer = self.client.post("/v1/traces", as_json(span), content_type="application/json")
        assert answer.status_code == 200, answer.content

    def _result(self, call_id: str, output: Any, **fields: Any) -> dict[str, Any]:
        return {"type": "execution_result", "call_id": call_id, "output": output} | fields

    def _sent(self, path: str, body: dict[str, Any]) -> None:
        answer = self.client.post(path, body, content_type="application/json")
        assert answer.status_code == 202, answer.content

    def _approvals_and_notes(self) -> None:
        body = {
            "agent_id": "bot",
            "tool_name": "charge",
            "tool_args": {"card": self.planting.next(), "cvv_token": self.planting.password()},
            "message": f"Charge with {self.planting.next()}?",
            "timeout": 300,
            "timeout_action": "block",
            "session_id": "s-1",
        }
        answer = self.client.post("/v1/approvals", body, content_type="application/json")
        assert answer.status_code == 201, answer.content
        approval = Approval.objects.get(project=self.project)
        decide(approval, approve=False, by=ADMIN, reason=f"Not with {self.planting.next()}")
        session = Session.objects.filter(project=self.project).earliest("pk")
        write_note(session, f"It used {self.planting.next()} twice", by=ADMIN)


def _at(number: int) -> str:
    yesterday = datetime.now(UTC).replace(hour=6, minute=0, second=0, microsecond=0)
    return (yesterday - timedelta(days=1) + timedelta(seconds=number)).isoformat()


@pytest.fixture
def log(caplog):
    caplog.set_level(logging.DEBUG)
    return lambda: "\n".join(map(JsonLine().format, caplog.records)).encode()


def test_no_planted_secret_is_stored_logged_backed_up_or_archived(project, tmp_path, log, settings):
    masks(project)
    load = Load(project)
    load.post_all()
    secrets = load.secrets
    assert len(secrets) >= SECRETS
    assert Call.objects.filter(project=project).count() > 100
    assert Artifact.objects.filter(project=project).exists()
    assert RejectedItem.objects.filter(project=project).exists()
    assert leaked(secrets, stored_texts()) == set()
    assert leaked(secrets, iter([log()])) == set()
    assert archive_due(project, datetime.now(UTC) + timedelta(days=1))
    files = f"{settings.ARCHIVE}/{project.slug}/*.parquet"
    rows = duckdb.execute(f"SELECT COLUMNS(*)::VARCHAR FROM '{files}'").fetchall()  # noqa: S608
    assert rows
    assert leaked(secrets, iter([repr(rows).encode()])) == set()
    make_backup(tmp_path / "backup.tar")
    assert leaked(secrets, texts_of_backup(tmp_path / "backup.tar", tmp_path)) == set()
    totals = dict(DetectorTotal.objects.values_list("detector", "masked"))
    assert totals.keys() == {*(each.value for each in Detector), "own-badge"}


def test_without_masking_the_scan_detects_stored_secrets(project, tmp_path):
    load = Load(project)
    load.post_all()
    stored = leaked(load.secrets, stored_texts())
    assert len(stored) > 0.95 * len(load.secrets)  # some are in reports that newer ones replaced
    make_backup(tmp_path / "backup.tar")
    assert leaked(load.secrets, texts_of_backup(tmp_path / "backup.tar", tmp_path))


def test_masking_does_not_change_rates_groups_or_loops(project):
    plain, masked = Load(project), Load(builders.a_project("masked"))
    masks(masked.project)
    plain.post_all()
    masked.post_all()
    assert plain.secrets == masked.secrets
    assert verdicts(plain) == verdicts(masked)
    assert partition(plain, "arguments") == partition(masked, "arguments")
    assert partition(plain, "group") == partition(masked, "group")
    assert group_sizes(plain) == group_sizes(masked)
    for load in (plain, masked):
        assert any(size > 1 for size in Counter(partition(load, "arguments").values()).values())
    assert rates(plain) == rates(masked)


def verdicts(load: Load) -> dict[str, tuple[Any, ...]]:
    rows = Call.objects.filter(project=load.project)
    return {
        call_id: tuple(rest)
        for call_id, *rest in rows.values_list(
            "call_id", "kind", "verdict", "decided_by", "check_rule", "labels", "cut"
        )
    }


def partition(load: Load, column: str) -> dict[str, str]:
    """For each call, the first call by name that has the same value."""
    rows = Call.objects.filter(project=load.project).order_by("call_id")
    first: dict[Any, str] = {}
    return {
        call_id: first.setdefault(bytes(value) if isinstance(value, memoryview) else value, call_id)
        for call_id, value in rows.values_list("call_id", column)
    }


def group_sizes(load: Load) -> list[int]:
    rows = Call.objects.filter(project=load.project).exclude(group=None)
    return sorted(Counter(rows.values_list("group", flat=True)).values())


def rates(load: Load) -> Any:
    stats = load.agent.get("stats", by="tool")
    return json.loads(json.dumps(stats["rows"] if "rows" in stats else stats["groups"]))
