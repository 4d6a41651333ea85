"""Every table as a file: same rows, filters and permissions as its page."""

import csv
import io
import json

import pytest
from django.urls import reverse

from governance.core.actor import CONSOLE
from governance.core.roles import Role
from governance.models import ApiKey
from governance.people.commands.keys import revoke_key
from outcomes.calls.queries import lists as call_lists
from outcomes.sessions.queries import list as session_list
from tests import builders
from tests.governance.naming import a_check, bound
from tests.governance.serving import deployed
from tests.outcomes.pages import a_denied_item, an_item

PAGES = {
    "sessions/": "session_id",
    "sessions/s-1/": "call_id",
    "calls/": "call_id",
    "denials/": "reason",
    "agents/": "agent_id",
    "approvals/": "id",
    "settings/invalid-events/": "code",
    "contracts/": "name",
    "checks/": "name",
    "checks/bindings/": "check",
    "checks/suggestions/": "rule",
    "checks/disagreements/": "agent_id",
    "settings/audit/": "number",
    "settings/keys/": "name",
}
EMPTY = {
    "approvals/",
    "checks/suggestions/",
}  # no approval was requested, and no output looks like a failure


def body_of(answer) -> str:
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


def rows_of(pages, path, **query):
    text = body_of(pages.get(path, format="csv", **query))
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.fixture
def traffic(project, agent) -> None:
    deployed(project)
    a_check(project)
    bound(project, "crm mine")
    agent.post(
        *[an_item(f"s-{number}") for number in range(1, 8)],
        an_item("s-1", call_id="=1+1", output={"is_error": True}),
        a_denied_item("s-1", call_id="refused"),
        {"type": "nonsense"},
    )


@pytest.mark.usefixtures("traffic")
def test_every_table_can_be_downloaded_as_csv_and_json(pages):
    empty = set()
    for path, column in PAGES.items():
        answer = pages.get(path, format="csv")
        assert answer["Content-Disposition"].startswith("attachment; filename=")
        rows = list(csv.DictReader(io.StringIO(body_of(answer), newline="")))
        document = json.loads(body_of(pages.get(path, format="json")))
        ((_, records),) = document.items()
        first = path == "settings/audit/"  # the first download is an audit entry in the second
        assert len(records) == len(rows) + first, path
        assert all(column in row for row in records), path
        if not rows:
            empty.add(path)
        elif path != "settings/keys/":
            assert "format=csv" in pages.get(path).content.decode(), path
    assert empty == EMPTY


@pytest.mark.usefixtures("traffic")
def test_a_file_has_all_rows_and_respects_the_filters(pages, monkeypatch):
    monkeypatch.setattr(session_list, "SESSIONS_SHOWN", 2)
    monkeypatch.setattr(call_lists, "CALLS_SHOWN", 2)
    assert [row["session_id"] for row in rows_of(pages, "sessions/", q="s-3")] == ["s-3"]
    names = [row["session_id"] for row in rows_of(pages, "sessions/")]
    assert sorted(names) == [f"s-{number}" for number in range(1, 8)]
    assert len(rows_of(pages, "calls/")) == 9
    assert [row["call_id"] for row in rows_of(pages, "calls/", show="denied")] == ["refused"]
    # Values sent by agents are not evaluated by spreadsheets.
    assert "'=1+1" in {row["call_id"] for row in rows_of(pages, "sessions/s-1/")}
    assert (
        rows_of(pages, "calls/", **{"from": "2020-01-01T00:00Z", "to": "2020-01-02T00:00Z"}) == []
    )


def test_turns_waste_and_artifacts_of_a_session_can_be_downloaded(pages, agent):
    read = {"turn_id": "t-1", "tool_args": {"of": "a"}, "idempotent": True, "elapsed_ms": 7}
    agent.post(
        an_item("s-1", call_id="c-1", **read),
        an_item("s-1", call_id="c-2", **read),
        an_item("s-1", call_id="c-3", output="x" * 12_000),
    )
    page = pages.get("sessions/s-1/").content.decode()
    for name in ("turns", "waste", "artifacts"):
        assert f"table={name}&amp;format=csv" in page
    (turn,) = rows_of(pages, "sessions/s-1/", table="turns")
    assert (turn["turn_id"], turn["calls"], turn["waste"]) == ("t-1", "2", "1")
    (waste,) = rows_of(pages, "sessions/s-1/", table="waste")
    assert (waste["waste"], waste["calls"]) == ("repeated_after_success", "1")
    (artifact,) = rows_of(pages, "sessions/s-1/", table="artifacts")
    assert (artifact["call_id"], artifact["size_bytes"]) == ("c-3", "12000")


def test_the_file_of_keys_contains_no_secret(project, pages):
    text, key = builders.a_key(project, "agent")
    revoke_key(key, by=CONSOLE)
    body = body_of(pages.get("settings/keys/", format="json"))
    (record,) = json.loads(body)["keys"]
    assert record["hint"] == key.hint
    assert text not in body
    digest = bytes(ApiKey.objects.get(pk=key.pk).digest)
    assert digest.hex() not in body


def test_a_file_has_the_same_permissions_as_its_page(project, client, client_as):
    address = reverse("governance:audit", args=[project.slug]) + "?format=csv"
    assert client.get(address).status_code == 302
    stranger = builders.signed_in(builders.a_member(builders.a_project("other")).user)
    assert stranger.get(address).status_code == 404
    assert client_as(Role.VIEWER).get(address).status_code == 200
