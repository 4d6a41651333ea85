"""The list of sessions and the page of one, as a viewer reads them."""

import html
import re
from datetime import UTC, datetime, timedelta

import pytest

from governance.core.roles import Role
from outcomes.models import Session
from tests import builders
from tests.governance.contracts.documents import document
from tests.outcomes.pages import Pages, a_denied_item, an_item, text_of, tile

QUERIES = 12


def limited(agent, limits: str) -> str:
    """The hash of a saved version with a session rule of these limits."""
    then = "then: {action: block, message: m}"
    rule = f"{{id: session-limits, type: session, limits: {limits}, {then}}}"
    answer = agent.client.post("/v1/contracts", {"yaml": document(rule)}, "application/json")
    return str(answer.json()["revision_hash"])


def test_without_any_session_the_list_says_what_to_do_next(pages):
    text = pages.text("sessions/")
    assert "No session yet." in text
    assert "Start here" in text


def test_a_session_is_listed_with_its_rate_its_denials_and_its_state(pages, agent):
    agent.post(*(an_item() for _ in range(3)), an_item(output="Error: no"), a_denied_item())
    text = pages.text("sessions/")
    assert "One session, still running." in text
    assert "75.0 % of 4" in text
    assert "running" in text
    assert "Agent and console disagree" in text
    assert "curl" not in text


def test_a_session_that_is_silent_for_five_minutes_has_ended(pages, agent):
    long_ago = (datetime.now(UTC) - timedelta(minutes=6)).isoformat()
    agent.post(an_item(timestamp=long_ago))
    assert "One session, ended." in pages.text("sessions/")
    assert pages.rows("sessions/", state="running") == []
    assert len(pages.rows("sessions/", state="ended")) == 1


def test_a_session_that_a_limit_stopped_is_stopped_whenever_it_was_seen(pages, agent):
    agent.post(an_item(), a_denied_item(reason="limit"))
    agent.post(an_item("s-2"))
    assert "2 sessions. One is running; one was stopped by a limit." in pages.text("sessions/")
    assert len(pages.rows("sessions/", state="stopped")) == 1


def test_the_list_is_narrowed_by_environment_and_by_session_or_agent(project, pages, agent):
    agent.post(an_item("s-1", agent_id="billing-bot"), an_item("s-2", agent_id="ops"))
    key = builders.a_key(project, "ingest", env="staging")[0]
    staging = type(agent)(builders.bearing(key))
    staging.post(an_item("s-1", agent_id="ops"))
    assert len(pages.rows("sessions/")) == 3
    assert len(pages.rows("sessions/", environment="staging")) == 1
    assert len(pages.rows("sessions/", q="billing")) == 1
    assert len(pages.rows("sessions/", q="S-1")) == 2
    assert "No session or agent of that name." in pages.text("sessions/", q="nobody")


def test_a_cursor_leads_through_all_sessions_and_back(pages, agent):
    at = datetime.now(UTC) - timedelta(hours=1)
    agent.post(*(an_item(f"s-{n}", timestamp=at.isoformat()) for n in range(120)))
    seen, path = [], "sessions/"
    while path:
        seen.append(pages.rows(path))
        path = pages.links(path).get("next", "").removeprefix(f"{pages.base}/")
    assert [len(rows) for rows in seen] == [50, 50, 20]
    assert len({row for rows in seen for row in rows}) == 120
    last = pages.links("sessions/")["next"].removeprefix(f"{pages.base}/")
    second = pages.links(last)
    assert pages.rows(second["prev"].removeprefix(f"{pages.base}/")) == seen[0]


@pytest.mark.parametrize("cursor", ["", "x", "1.2.3", "99999999999999999999.1", "1.1.1.1", "-1.-1"])
def test_a_cursor_that_no_list_has_given_is_passed_over(pages, agent, cursor):
    agent.post(an_item())
    assert len(pages.rows("sessions/", after=cursor)) == 1
    assert pages.get("sessions/", before=cursor).status_code == 200


@pytest.mark.parametrize("path", ["sessions/", "live/sessions/", "calls/", "live/calls/"])
def test_nul_in_what_is_asked_for_finds_nothing_and_breaks_nothing(pages, path):
    assert pages.get(path, q="a\0b", environment="a\0b", agent="a\0b").status_code == 200


def test_calls_without_a_session_are_listed_by_their_agent(pages, agent):
    agent.post(*(an_item(None, agent_id="old-bot") for _ in range(3)), an_item())
    assert "No session reported" in pages.text("sessions/")
    assert "old-bot 3" in pages.text("sessions/")
    assert len(pages.rows("calls/", session="none")) == 3
    assert len(pages.rows("calls/", session="none", agent="bot")) == 0
    assert len(pages.rows("calls/")) == 4


def test_the_list_answers_nothing_while_nothing_changed(pages, agent):
    agent.post(an_item())
    live = live_url(pages, "sessions/")
    assert pages.client.get(live).status_code == 204
    agent.post(an_item("s-2"))
    fresh = pages.client.get(live)
    assert "s-2" in text_of(fresh)
    assert 'id="sentence" hx-swap-oob' in fresh.content.decode()


def test_a_session_says_why_it_was_stopped_and_that_it_was_too_early(pages, agent):
    version = limited(agent, "{max_tool_calls: 4}")
    agent.post(
        *(an_item(policy_version=version) for _ in range(3)),
        an_item(output="Error: no such table", policy_version=version),
        a_denied_item(reason="limit", decision_name="session-limits", policy_version=version,
                      details="Session limit reached."),
    )  # fmt: skip
    text = pages.session("s-1")
    assert (
        "Stopped by session-limits at call 5, after 4 executions; 1 of those 4 was a failure; "
        "counting successes it would have gone on to call 5." in text
    )
    assert "By successes it stood at 3 of 4. The agent missed it. 1 call of 5 was denied." in text
    assert (
        "Too early. Reached at call 4 counting executions. Counting successes 1 was left." in text
    )
    assert "limit said Session limit reached." in text
    assert (
        "Against a limit of 4: 4 executions, reached at call 4; 3 successes; 4 as reported, "
        "reached at call 4." in text
    )
    assert "Failures and unknown, 1 of 4 query 1 of 4 failed" in text
    assert Session.objects.get().stopped == "premature"
    assert "one of them too early" not in pages.text("sessions/")
    assert "One session, stopped by a limit, too early." in pages.text("sessions/")


def test_a_session_shows_its_turns_its_waste_and_its_artifacts(pages, agent):
    asked = {"account": "A-1"}
    agent.post(
        an_item(turn_id="t-1", tool_args=asked, idempotent=True),
        an_item(turn_id="t-1", tool_args=asked, idempotent=True, elapsed_ms=12),
        an_item(turn_id="t-2", tool_name="export", output="a" * 13_000),
        an_item(turn_id="t-2", type="failure", error="gone", retryable=False, output=None),
    )
    text = pages.session("s-1")
    assert "Waste, 1 of 4 calls" in text
    assert "Same call again after success, ran query" in text
    assert "2 turns; a tool stays blocked until its turn ends" in text
    assert "query · no call after it" in text
    assert "1 reference" in text
    assert "13 kB" in text


def test_a_session_says_who_gave_each_verdict(pages, agent):
    agent.post(
        an_item(tool_name="by-check"),
        an_item(tool_name="by-agent", output=None),
        an_item(tool_name="by-type", type="timeout", output=None, deadline_s=3),
    )
    text = pages.session("s-1")
    assert "by-check \N{EN DASH} Executed success default v1" in text
    assert "by-agent \N{EN DASH} Executed success agent not checked" in text
    assert "by-type \N{EN DASH} Timeout failure by its type agent said success" in text


def test_the_calls_of_a_session_are_numbered_newest_first_and_filtered(pages, agent):
    agent.post(an_item(tool_name="one"), an_item(tool_name="two", output="Error: x"),
               a_denied_item(tool_name="three"))  # fmt: skip
    assert [count(pages, show) for show in ("", "failures", "denied", "disagree")] == [3, 1, 1, 1]
    text = pages.session("s-1", show="failures")
    assert "2 two" in text
    assert "1 of 1, newest first" in text


def count(pages: Pages, show: str) -> int:
    return len(pages.rows("sessions/s-1/", show=show))


def test_a_cursor_leads_through_the_calls_of_a_session_with_their_numbers(pages, agent):
    agent.post(*(an_item(tool_name=f"tool-{n}") for n in range(1, 251)))
    assert "250 tool-250" in pages.session("s-1")
    older = pages.links("sessions/s-1/")["next"].removeprefix(f"{pages.base}/")
    assert "150 tool-150" in pages.text(older)
    oldest = pages.links(older)["next"].removeprefix(f"{pages.base}/")
    assert "50 tool-50" in pages.text(oldest)
    assert len(pages.rows(oldest)) == 50
    back = pages.links(oldest)["prev"].removeprefix(f"{pages.base}/")
    assert pages.rows(back) == pages.rows(older)


def test_a_denied_call_that_was_repeated_is_one_row_until_the_denied_are_asked_for(pages, agent):
    agent.post(*(a_denied_item(tool_args={"id": 1}) for _ in range(8)))
    assert "2\N{EN DASH}7 The same call, denied 6 more times" in pages.session("s-1")
    assert len(pages.rows("sessions/s-1/")) == 2
    assert len(pages.rows("sessions/s-1/", show="denied")) == 8


def test_a_new_call_and_a_new_standing_come_by_themselves_and_only_then(pages, agent):
    agent.post(an_item())
    rows, standing = (
        live_url(pages, "sessions/s-1/", "calls"),
        live_url(pages, "sessions/s-1/", "session"),
    )
    assert pages.client.get(rows).status_code == 204
    assert pages.client.get(standing).status_code == 204
    agent.post(an_item(tool_name="fresh"))
    assert "2 fresh" in text_of(pages.client.get(rows))
    assert "Running, 2 calls so far: both executions succeeded." in text_of(
        pages.client.get(standing)
    )


def test_how_long_a_session_lasted_comes_along_with_its_standing(pages, agent):
    agent.post(an_item(timestamp="2026-11-01T10:00:00Z"))
    assert '<dd id="lasted">0 ms</dd>' in pages.get("sessions/s-1/").content.decode()
    standing = live_url(pages, "sessions/s-1/", "session")
    agent.post(an_item(timestamp="2026-11-01T10:00:06Z"))
    told = pages.client.get(standing).content.decode()
    assert '<dd id="lasted" hx-swap-oob="true">6.0 s</dd>' in told


def test_a_result_that_comes_later_changes_its_row(pages, agent):
    event = {"call_id": "c", "tool_name": "deploy", "agent_id": "bot", "session_id": "s-1"}
    agent.post_events(event | {"action": "call_allowed", "timestamp": "2026-11-01T10:00:00Z"})
    rows = live_url(pages, "sessions/s-1/", "calls")
    assert "No result reported" in text_of(pages.get("sessions/s-1/"))
    agent.post_events(event | {"action": "call_executed", "timestamp": "2026-11-01T10:00:01Z"})
    assert "Executed" in text_of(pages.client.get(rows))


@pytest.mark.parametrize(
    "session_id",
    [
        "a/b",
        "../up",
        "a/../b",
        "..",
        ".",
        "-",
        "a b&c=d?e#f%41",
        "line\nbreak",
        "ünï/",
        "rows",
        "//",
        "x" * 1024,
    ],
)
def test_an_id_may_hold_anything_and_its_link_leads_to_it(pages, agent, session_id):
    agent.post(an_item(session_id, tool_name="inside"))
    body = pages.get("sessions/").content.decode()
    href = body.split('class="row-link mono" href="')[1].split('"')[0].replace("&amp;", "&")
    assert "/../" not in href
    assert "inside" in text_of(pages.client.get(href))
    assert pages.client.get(live_of(pages.client.get(href), "calls")).status_code == 204
    assert pages.client.get(live_of(pages.client.get(href), "session")).status_code == 204


def test_an_id_with_slashes_may_be_written_plainly(pages, agent):
    agent.post(an_item("team/run/7"))
    assert pages.get("sessions/team/run/7/").status_code == 200


def test_one_id_in_two_environments_is_two_sessions(project, pages, agent):
    agent.post(an_item("s-1", tool_name="here"))
    staging = type(agent)(builders.bearing(builders.a_key(project, "ingest", env="staging")[0]))
    staging.post(an_item("s-1", tool_name="there"))
    assert "here" in pages.session("s-1", environment="production")
    assert "there" in pages.session("s-1", environment="staging")
    assert pages.get("sessions/s-1/", environment="nowhere").status_code == 404


def test_a_session_of_another_project_is_not_there(pages, agent):
    agent.post(an_item())
    other = builders.a_member(builders.a_project(), Role.ADMIN)
    theirs = Pages(builders.signed_in(other.user), other.project.slug)
    assert theirs.get("sessions/s-1/").status_code == 404
    assert theirs.rows("sessions/") == []
    assert theirs.get("live/calls/", of="s-1").status_code == 404
    assert theirs.get("live/session/", of="s-1").status_code == 404


def test_what_agents_say_is_shown_and_never_run(pages, agent):
    said = "<script>alert(1)</script>"
    agent.post(
        an_item(said, tool_name=said, agent_id=said, turn_id=said, output="Error: " + said,
                tool_args={said: said}, principal={"user_id": said}),
        a_denied_item(said, reason=said, details=said, decision_name=said),
    )  # fmt: skip
    for path in ("sessions/", "calls/"):
        assert said not in pages.get(path).content.decode()
    assert said in pages.session(said)
    assert said.encode() not in pages.get(f"sessions/{said.replace('/', '%2F')}/").content


@pytest.mark.parametrize("calls", [1, 300])
def test_the_pages_of_a_session_ask_the_database_as_often_whatever_it_holds(
    pages, agent, calls, django_assert_max_num_queries
):
    version = limited(agent, "{max_tool_calls: 99}")
    agent.post(
        *(
            an_item(turn_id=f"t-{n % 9}", policy_version=version, tool_args={"n": n})
            for n in range(calls)
        ),
        an_item(type="artifact_reference", artifact_id="kept", output=None, policy_version=version),
        *(an_item(f"s-{n}", agent_id=f"agent-{n}") for n in range(2, calls)),
        *(an_item(None, agent_id=f"agent-{n}") for n in range(calls)),
    )  # fmt: skip
    for path in (
        "sessions/",
        "sessions/s-1/",
        "sessions/s-1/?show=failures",
        "calls/",
        "calls/?session=none",
        "live/sessions/",
        "live/calls/?of=s-1",
        "live/session/?of=s-1",
    ):
        with django_assert_max_num_queries(QUERIES):
            assert pages.get(path).status_code == 200


def live_url(pages: Pages, path: str, part: str = "sessions") -> str:
    return live_of(pages.get(path), part)


def live_of(response, part: str) -> str:
    found = re.findall(r'data-live hx-get="([^"]*)"', response.content.decode())
    return next(html.unescape(url) for url in found if f"/live/{part}/?" in url)


@pytest.mark.parametrize(
    "page",
    ["sessions/s-1/", "calls/c-1/", "compare-sessions/?of=s-1"],
)
def test_from_one_session_or_call_another_environment_leads_to_the_list(
    pages, agent, project, page
):
    agent.post(an_item(call_id="c-1"))
    builders.an_environment(project, "staging")
    shown = pages.get(page).content.decode()
    in_staging = [url for url in re.findall('href="([^"]*)"', shown) if "=staging" in url]
    assert in_staging == [f"{pages.base}/sessions/?environment=staging"]
    assert pages.client.get(in_staging[0]).status_code == 200


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def test_beside_the_figures_of_a_session_stand_those_of_the_sessions_of_its_agent_before(
    pages, agent, project
):
    too_old = [an_item("s-old", timestamp=days_ago(11), output="Error: no") for _ in range(5)]
    of_another = [an_item("s-of-another", agent_id="ops", timestamp=days_ago(1)) for _ in range(5)]
    first = [an_item("s-1", timestamp=days_ago(3)) for _ in range(3)]
    first += [an_item("s-1", timestamp=days_ago(2.5), output="Error: no")]
    second = [an_item("s-2", timestamp=days_ago(1)), a_denied_item("s-2", timestamp=days_ago(1))]
    agent.post(*too_old, *of_another, *first, *second, an_item("s-3"), an_item("s-3"))
    staging = type(agent)(builders.bearing(builders.a_key(project, "ingest", env="staging")[0]))
    staging.post(an_item("s-2", timestamp=days_ago(1), output="Error: no"))
    body = pages.get("sessions/s-3/").content.decode()
    assert "was 80.0 % of 5 in the 2 sessions of its agent before" in tile(body, "rate")
    assert tile(body, "calls").endswith("were 3 on average")
    assert tile(body, "failures").endswith("were 0.5 on average")
    assert tile(body, "waste").endswith("were 0 on average")
    assert tile(body, "time").endswith("lasted 6 h on average")
    told = pages.session("s-2", environment="production")
    assert "was 75.0 % of 4 in the session of its agent before" in told
    assert "its agent ended no session in the 7 days before" in pages.session("s-1")


def test_beside_the_sessions_of_a_time_stand_those_of_the_time_before(pages, agent):
    agent.post(
        an_item("s-1"),
        an_item("s-2", timestamp=days_ago(1.5)),
        a_denied_item("s-2", timestamp=days_ago(1.5), reason="limit"),
        an_item("s-3", timestamp=days_ago(1.4)),
        an_item("s-4", agent_id="ops", timestamp=days_ago(1.4)),
        an_item("s-5", timestamp=days_ago(3)),
    )
    before = "In the 24 hours before: 3 sessions, one was stopped by a limit."
    assert before in pages.text("sessions/", range="24h")
    assert "In the 24 hours before: 1 session." in pages.text("sessions/", range="24h", agent="ops")
    assert "before:" not in pages.text("sessions/")
    assert "before:" not in pages.text("sessions/", range="24h", q="s-1")
