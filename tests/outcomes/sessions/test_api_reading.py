"""Reading over HTTP: complete lists, filters, and no access to data of others."""

from urllib.parse import quote

import pytest
from django.test import Client

from governance.models import Project
from outcomes.sessions.queries import details as session_details
from outcomes.sessions.queries import search as session_search
from tests import builders
from tests.builders import an_event, an_outcome
from tests.outcomes.posting import Agent


def ids(rows):
    return [row["call_id"] for row in rows]


@pytest.mark.parametrize("limit", [1, 2, 7, 1_000])
def test_pages_are_complete_without_duplicates_when_timestamps_tie(agent: Agent, limit):
    for batch in range(3):
        agent.post(
            *(
                an_outcome(f"c-{batch}-{n}", timestamp=f"2026-11-18T06:00:0{n % 2}Z")
                for n in range(5)
            )
        )
    shown = agent.outcomes(limit=limit)
    assert len(shown) == len({row["call_id"] for row in shown}) == 15
    assert [row["timestamp"] for row in shown] == sorted(
        (row["timestamp"] for row in shown), reverse=True
    )


def test_calls_arriving_between_pages_do_not_shift_the_list(agent: Agent):
    agent.post(*(an_outcome(f"c-{n}", timestamp=f"2026-11-18T06:00:0{n}Z") for n in range(6)))
    first = agent.get("outcomes", limit=3)
    agent.post(an_outcome("newer", timestamp="2026-11-18T07:00:00Z"))
    rest = agent.get("outcomes", limit=3, cursor=first["next"])
    assert ids(first["outcomes"] + rest["outcomes"]) == [f"c-{n}" for n in (5, 4, 3, 2, 1, 0)]
    assert rest["next"] is None


def test_sessions_are_paginated_with_the_last_seen_first(agent: Agent):
    agent.post(
        *(
            an_outcome(session_id=f"s-{n}", timestamp=f"2026-11-18T06:00:0{n // 3}Z")
            for n in range(9)
        )
    )
    rows, cursor = [], ""
    while cursor is not None:
        page = agent.get("agent-sessions", limit=2, cursor=cursor)
        rows += [row["session_id"] for row in page["sessions"]]
        cursor = page["next"]
    assert rows == [f"s-{n}" for n in (8, 7, 6, 5, 4, 3, 2, 1, 0)]


@pytest.mark.parametrize(
    "cursor",
    [
        "x",
        "AAAA",
        "MjAyNi0xMS0xOFQwNjowMDowMCAx",  # a time without a zone
        "MDAwMS0wMS0wMVQwMDowMDowMCsyMzo1OSA1",  # in a time zone in which year 1 would be year 0
    ],
)
def test_an_unknown_cursor_is_rejected(agent: Agent, cursor):
    response = agent.client.get("/v1/outcomes", {"cursor": cursor})
    assert response.status_code == 422
    assert response.json()["errors"][0]["path"] == "cursor"


@pytest.fixture
def several(agent: Agent) -> Agent:
    agent.post(
        an_outcome(
            "ran",
            tool_name="sql",
            agent_id="a-1",
            session_id="s-1",
            output="Error: x",
            tool_success=True,
        ),
        an_outcome("timed-out", type="timeout", agent_id="a-1", session_id="s-1"),
        an_outcome("denied", type="denied", reason="pre_hook", details="a rainy day"),
        an_outcome("old", timestamp="2020-01-01T00:00:00Z", output=1, tool_success=True),
    )
    agent.post_events(an_event("call_allowed", "open", agent_id="a-2", run_id="s-2"))
    return agent


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"session": "s-1"}, {"ran", "timed-out"}),
        ({"agent": "a-1"}, {"ran", "timed-out"}),
        ({"tool": "sql"}, {"ran"}),
        ({"type": "timeout"}, {"timed-out"}),
        ({"type": "open"}, {"open"}),
        ({"type": "denied", "reason": "pre_hook"}, {"denied"}),
        ({"verdict": "failure"}, {"ran", "timed-out"}),
        ({"verdict": "success"}, {"old"}),
        ({"disagreement": "true"}, {"ran"}),
        ({"until": "2021-01-01T00:00:00Z"}, {"old"}),
        ({"since": "2021-01-01"}, {"ran", "timed-out", "denied", "open"}),
        ({"q": "rainy"}, {"denied"}),
        ({"env": "production", "q": "timed"}, {"timed-out"}),
        ({"env": "elsewhere"}, set()),
        ({"agent": "nobody"}, set()),
    ],
)
def test_each_filter_limits_the_list_to_matching_calls(several: Agent, query, expected):
    assert set(ids(several.outcomes(**query))) == expected


def all_sessions(agent: Agent, /, **query) -> list[str]:
    rows, cursor = [], ""
    while cursor is not None:
        page = agent.get("agent-sessions", cursor=cursor, **query)
        rows += [row["session_id"] for row in page["sessions"]]
        cursor = page["next"]
    return rows


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"session": "s-1"}, {"s-1"}),
        ({"tool": "sql"}, {"s-1", "s-3"}),
        ({"tool": "nothing"}, set()),
        ({"type": "timeout"}, {"s-1"}),
        ({"type": "open"}, {"s-2"}),
        ({"type": "denied"}, {"s-3"}),
        ({"type": "artifact_reference"}, {"s-4"}),
        ({"reason": "pre_hook"}, {"s-3"}),
        ({"reason": "limit"}, set()),
        ({"verdict": "failure"}, {"s-1"}),
        ({"verdict": "success"}, {"s-3", "s-4"}),
        ({"disagreement": "true"}, {"s-1"}),
        ({"disagreement": "false"}, {"s-1", "s-2", "s-3", "s-4"}),
        ({"tool": "sql", "type": "denied"}, set()),  # both values exist, but on different calls
        ({"tool": "sql", "verdict": "success", "env": "production"}, {"s-3"}),
        ({"type": "timeout", "env": "elsewhere"}, set()),
        ({"verdict": "failure", "agent": "a-1"}, {"s-1"}),
        ({"verdict": "failure", "until": "2021-01-01"}, set()),
        ({"verdict": "failure", "q": "s-1"}, {"s-1"}),
    ],
)
@pytest.mark.parametrize("looked_through", [1, 2_000])
def test_a_session_matches_if_one_of_its_calls_matches_all_filters(
    agent: Agent, monkeypatch, query, expected, looked_through
):
    monkeypatch.setattr(session_search, "MOST_CHECKED", looked_through)
    agent.post(
        an_outcome(
            tool_name="sql",
            agent_id="a-1",
            session_id="s-1",
            output="Error: x",
            tool_success=True,
        ),
        an_outcome(type="timeout", agent_id="a-1", session_id="s-1"),
        an_outcome(tool_name="sql", session_id="s-3", output={"ok": True}),
        an_outcome(type="denied", reason="pre_hook", session_id="s-3"),
        an_outcome(session_id="s-4", output="x" * 12_000),
        an_outcome(session_id="s-4", output={"ok": True}, tool_success=True),
    )
    agent.post_events(an_event("call_allowed", "open", agent_id="a-2", run_id="s-2"))
    rows = all_sessions(agent, **query)
    assert set(rows) == expected
    assert len(rows) == len(expected)
    assert set(all_sessions(agent, limit=1, **query)) == expected


@pytest.mark.parametrize(
    "query",
    [
        {"flavour": "sweet"},
        {"type": "success"},
        {"limit": "0"},
        {"limit": "1001"},
        {"wait": "31"},
        {"since": "yesterday"},
        {"since": "0001-01-01T00:00:00+23:59"},
        {"until": "9999-12-31T23:59:59-23:59"},
        {"agent": "a\0b"},
        {"session": "s" * 1_025},
    ],
)
def test_an_invalid_query_is_rejected(agent: Agent, query):
    for path in ("outcomes", "agent-sessions"):
        response = agent.client.get(f"/v1/{path}", query)
        assert response.status_code == 422, path
        assert set(response.json()) == {"code", "detail", "errors"}


@pytest.mark.parametrize(
    "name", ["a/b/c", "ü ñ", "100 % sure?", "..", "x" * 1_024, "a#b&c=d", "line\nbreak"]
)
def test_an_identifier_may_contain_slashes(agent: Agent, name):
    agent.post(an_outcome(name, session_id=name))
    assert agent.get(f"outcomes/{quote(name, safe='')}")["call_id"] == name
    assert agent.get(f"agent-sessions/{quote(name, safe='')}")["session_id"] == name


def test_an_unknown_resource_is_404(agent: Agent):
    for path in (
        "outcomes/none",
        "agent-sessions/none",
        "artifacts/" + "0" * 64,
        "artifacts/%00",
        "nothing",
    ):
        response = agent.client.get(f"/v1/{path}")
        assert (response.status_code, response.json()["code"]) == (404, "not_found"), path


def test_event_actions_are_returned_normalized(agent: Agent):
    agent.post_events(
        an_event("CALL_DENIED", "c-1", decision_name="no-deletes", tool_success=None),
        an_event("call_executed", "c-2", tool_success=True),
    )
    rows = {row["call_id"]: row for row in agent.get("events", agent_id="billing-bot")["events"]}
    assert rows["c-1"]["action"] == "call_blocked"
    assert rows["c-1"]["decision_name"] == "no-deletes"
    assert rows["c-2"]["tool_success"] is True
    assert agent.get("events", session_id="other")["events"] == []


def test_events_of_a_session_exclude_same_named_calls_in_other_environments(
    project: Project, agent: Agent
):
    agent.post_events(an_event(call_id="c-1", session_id="s-1"))
    elsewhere = Agent(builders.bearing(builders.a_key(project, "agent", env="staging")[0]))
    elsewhere.post_events(an_event(call_id="c-1", session_id="s-2"))

    events = agent.get("events", session_id="s-1")["events"]

    assert [(row["environment"], row["session_id"]) for row in events] == [("production", "s-1")]


def test_calls_are_ordered_by_time_then_index_then_acceptance(agent: Agent):
    def at(
        second: int, call_index: int | None, call_id: str, **fields: object
    ) -> dict[str, object]:
        timestamp = f"2026-11-18T06:00:0{second}Z"
        placed = {"session_id": "s-1", "call_index": call_index, "timestamp": timestamp}
        return an_outcome(call_id, **placed, **fields)

    agent.post(at(2, 1, "third", output="Error: x"), at(2, 1, "fourth", output="Error: x"))
    agent.post(at(2, None, "second", output="fine"))
    agent.post(at(1, 9, "first", output="Error: x"))

    session = agent.session("s-1")

    assert session["turns"][0]["calls"] == ["first", "second", "third", "fourth"]
    assert session["counts"]["consecutive_failures"] == 2


def test_a_session_read_in_batches_is_complete(agent: Agent, monkeypatch):
    monkeypatch.setattr(session_details, "IN_ONE_QUERY", 2)
    fields = {"session_id": "s-1", "tool_args": {"q": 1}, "idempotent": True}
    calls = [f"c-{n}" for n in range(7)]
    agent.post(
        *(
            an_outcome(call, turn_id=f"t-{n % 2}", timestamp=f"2026-11-18T06:00:0{n}Z", **fields)
            for n, call in enumerate(calls)
        ),
        an_outcome("big", session_id="s-1", output="x" * 20_000, timestamp="2026-11-18T06:01:00Z"),
    )

    session = agent.session("s-1")

    turns = {turn["turn_id"]: turn for turn in session["turns"]}
    assert list(turns) == ["t-0", "t-1", None]
    assert turns["t-0"]["calls"] == calls[::2]
    assert [waste["call_id"] for waste in turns["t-1"]["waste"]] == ["c-3", "c-5"]
    assert [artifact["call_id"] for artifact in session["artifacts"]] == ["big"]


def test_a_deadline_is_searchable_with_all_its_digits(agent: Agent):
    agent.post(an_outcome("c-1", type="timeout", deadline_s=1_234_567.25))
    assert ids(agent.outcomes(q="1234567.25")) == ["c-1"]


def test_a_key_without_read_sees_only_its_agent_in_its_environment(project: Project):
    keys = {env: builders.a_key(project, "agent", env=env)[0] for env in ("production", "staging")}
    for env, key in keys.items():
        for name in ("ours", "theirs"):
            Agent(builders.bearing(key)).post_events(
                an_event(call_id=f"{env}-{name}", agent_id=name, environment=env)
            )
    mine = Agent(builders.bearing(keys["staging"], **{"X-Edictum-Agent-Id": "ours"}))
    assert ids(mine.get("events")["events"]) == ["staging-ours"]
    assert ids(mine.get("events", agent_id="theirs")["events"]) == ["staging-ours"]
    nameless = Agent(builders.bearing(keys["staging"]))
    assert nameless.get("events")["events"] == []


def test_an_ingest_key_cannot_read(project: Project):
    client = builders.bearing(builders.a_key(project, "ingest")[0])
    for path in ("outcomes", "outcomes/x", "agent-sessions", "artifacts/" + "0" * 64):
        assert client.get(f"/v1/{path}").status_code == 403, path


def test_a_read_key_cannot_post(reader: Client):
    for path in ("outcomes", "events", "artifacts", "audit/ingest"):
        response = reader.post(f"/v1/{path}", b"{}", content_type="application/json")
        assert response.status_code == 403, path


def test_a_missing_or_wrong_key_is_401(db):
    for headers in ({}, {"Authorization": "Bearer edk_production_" + "x" * 40}):
        response = Client(headers=headers).post("/v1/outcomes", b"{}", content_type="text/plain")
        assert response.status_code == 401
        assert response["WWW-Authenticate"] == "Bearer"
        assert set(response.json()) == {"code", "detail", "errors"}


def test_a_session_is_measured_against_the_limits_of_its_contract(project: Project, agent: Agent):
    builders.deployed(builders.a_version(project, max_tool_calls=3), at="2026-11-18T00:00:00Z")
    failing = [
        an_outcome(
            f"c-{n}",
            session_id="s",
            output="Error: x" if n < 2 else n,
            tool_success=True,
            timestamp=f"2026-11-18T06:00:0{n}Z",
        )
        for n in range(4)
    ]
    stop = an_event(
        "call_blocked",
        "stopped",
        run_id="s",
        decision_source="operation_limit",
        decision_name="max_tool_calls",
        timestamp="2026-11-18T06:00:05Z",
    )
    agent.post(*failing)
    agent.post_events(stop)
    (limit,) = (row for row in agent.session("s")["limits"] if row["limit"] == "max_tool_calls")
    assert (limit["value"], limit["assumed"]) == (3, False)
    assert limit["used"] == {"executions": 4, "reported": 4, "classified": 2}
    assert limit["reached_at"] == {"executions": 3, "reported": 3, "classified": None}
    assert (limit["stopped_at"], limit["judgement"]) == (5, "premature")
