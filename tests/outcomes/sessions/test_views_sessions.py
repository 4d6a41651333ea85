"""The list of sessions and the session page, as a viewer sees them."""

import html
import re
from datetime import UTC, datetime, timedelta

import pytest

from governance.core.roles import Role
from outcomes.models import Session
from tests import builders
from tests.governance.contracts.documents import document
from tests.outcomes.pages import Pages, a_denied_item, an_item, text_of, tile

QUERIES = 14  # includes the doubt next to the verdicts of calls


def limited(agent, limits: str) -> str:
    """Hash of a saved version with a session rule with these limits."""
    then = "then: {action: block, message: m}"
    rule = f"{{id: session-limits, type: session, limits: {limits}, {then}}}"
    answer = agent.client.post("/v1/contracts", {"yaml": document(rule)}, "application/json")
    return str(answer.json()["revision_hash"])


def test_a_project_without_sessions_has_an_empty_state(pages):
    text = pages.text("sessions/")
    assert "No sessions yet" in text
    assert "Connect an agent" in text


def test_a_session_is_listed_with_its_rate_denials_and_state(pages, agent):
    agent.post(*(an_item() for _ in range(3)), an_item(output="Error: no"), a_denied_item())
    text = pages.text("sessions/")
    assert "1 session, none hit a limit · 1 running" in text
    assert "75.0 % of 4" in text
    assert "running" in text
    assert "Disagreements 1" in text
    assert "curl" not in text


def test_a_session_without_calls_for_five_minutes_has_ended(pages, agent):
    long_ago = (datetime.now(UTC) - timedelta(minutes=6)).isoformat()
    agent.post(an_item(timestamp=long_ago))
    assert "1 session, none hit a limit" in pages.text("sessions/")
    assert pages.rows("sessions/", state="running") == []
    assert len(pages.rows("sessions/", state="ended")) == 1


def test_a_session_that_hit_a_limit_is_stopped_even_if_recently_active(pages, agent):
    agent.post(an_item(), a_denied_item(reason="limit"))
    agent.post(an_item("s-2"))
    assert "1 of 2 sessions hit a limit · 1 running" in pages.text("sessions/")
    assert len(pages.rows("sessions/", state="stopped")) == 1


def test_the_list_can_be_filtered_by_environment_session_and_agent(project, pages, agent):
    agent.post(an_item("s-1", agent_id="billing-bot"), an_item("s-2", agent_id="ops"))
    key = builders.a_key(project, "ingest", env="staging")[0]
    staging = type(agent)(builders.bearing(key))
    staging.post(an_item("s-1", agent_id="ops"))
    assert len(pages.rows("sessions/")) == 3
    assert len(pages.rows("sessions/", environment="staging")) == 1
    assert len(pages.rows("sessions/", q="billing")) == 1
    assert len(pages.rows("sessions/", q="S-1")) == 2
    assert "No sessions match these filters." in pages.text("sessions/", q="nobody")


def test_sessions_can_be_paged_forward_and_back(pages, agent):
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
def test_an_invalid_cursor_is_ignored(pages, agent, cursor):
    agent.post(an_item())
    assert len(pages.rows("sessions/", after=cursor)) == 1
    assert pages.get("sessions/", before=cursor).status_code == 200


@pytest.mark.parametrize("path", ["sessions/", "live/sessions/", "calls/", "live/calls/"])
def test_nul_in_a_query_matches_nothing(pages, path):
    assert pages.get(path, q="a\0b", environment="a\0b", agent="a\0b").status_code == 200


def test_calls_without_a_session_are_listed_by_their_agent(pages, agent):
    agent.post(*(an_item(None, agent_id="old-bot") for _ in range(3)), an_item())
    assert "Calls without a session ID" in pages.text("sessions/")
    assert "old-bot 3" in pages.text("sessions/")
    assert len(pages.rows("calls/", session="none")) == 3
    assert len(pages.rows("calls/", session="none", agent="bot")) == 0
    assert len(pages.rows("calls/")) == 4


def test_the_list_returns_204_while_nothing_changed(pages, agent):
    agent.post(an_item())
    live = live_url(pages, "sessions/")
    assert pages.client.get(live).status_code == 204
    agent.post(an_item("s-2"))
    fresh = pages.client.get(live)
    assert "s-2" in text_of(fresh)
    assert 'id="sentence" hx-swap-oob' in fresh.content.decode()


def test_a_session_explains_that_it_hit_its_limit_early(pages, agent):
    version = limited(agent, "{max_tool_calls: 4}")
    agent.post(
        *(an_item(policy_version=version) for _ in range(3)),
        an_item(output="Error: no such table", policy_version=version),
        a_denied_item(reason="limit", decision_name="session-limits", policy_version=version,
                      details="Session limit reached."),
    )  # fmt: skip
    text = pages.session("s-1")
    assert "s-1 hit session-limits 1 call early: 1 of 4 counted calls failed" in text
    assert "query failed once with Error: no such table . The agent missed it." in text
    assert "1 call after the limit was denied." in text
    assert "Hit early. Executions reached 4 at call 4. By successes, 1 call was left." in text
    assert "limit message Session limit reached." in text
    assert (
        "Limit 4: 4 executions reached it at call 4, 3 verified successes, "
        "4 reported successes reached it at call 4." in text
    )
    assert "Why 1 counted call failed of 4 that ran query Error: no such table silent 1" in text
    assert Session.objects.get().stopped == "premature"
    assert "1 of 1 session hit a limit early" in pages.text("sessions/")
    assert "1 session hit a limit, 1 early" in pages.text("sessions/", state="stopped")


def test_a_session_page_lists_turns_waste_and_artifacts(pages, agent):
    arguments = {"account": "A-1"}
    agent.post(
        an_item(turn_id="t-1", tool_args=arguments, idempotent=True),
        an_item(turn_id="t-1", tool_args=arguments, idempotent=True, elapsed_ms=12),
        an_item(turn_id="t-2", tool_name="export", output="a" * 13_000),
        an_item(turn_id="t-2", type="failure", error="gone", retryable=False, output=None),
    )
    text = pages.session("s-1")
    assert "Waste, 1 of 4 calls" in text
    assert "Same call again after success, ran query" in text
    assert "blocked tools reset each turn" in text
    assert "query · no call after it" in text
    assert "1 reference" in text
    assert "13 kB" in text


def test_a_session_page_lists_the_source_of_each_verdict(pages, agent):
    agent.post(
        an_item(tool_name="by-check"),
        an_item(tool_name="by-agent", output=None),
        an_item(tool_name="by-type", type="timeout", output=None, deadline_s=3),
    )
    text = pages.session("s-1")
    assert "by-check \N{EN DASH} Executed success default v1" in text
    assert "by-agent \N{EN DASH} Executed success agent not checked" in text
    assert "by-type \N{EN DASH} Timeout failure by its type agent said success" in text


def test_calls_of_a_session_are_numbered_listed_newest_first_and_filterable(pages, agent):
    agent.post(an_item(tool_name="one"), an_item(tool_name="two", output="Error: x"),
               a_denied_item(tool_name="three"))  # fmt: skip
    assert [count(pages, show) for show in ("", "failures", "denied", "disagree")] == [3, 1, 1, 1]
    text = pages.session("s-1", show="failures")
    assert "2 two" in text
    assert "1 of 1, newest first" in text


def count(pages: Pages, show: str) -> int:
    return len(pages.rows("sessions/s-1/", show=show))


def test_calls_of_a_session_can_be_paged_with_their_numbers(pages, agent):
    agent.post(*(an_item(tool_name=f"tool-{n}") for n in range(1, 251)))
    assert "250 tool-250" in pages.session("s-1")
    older = pages.links("sessions/s-1/")["next"].removeprefix(f"{pages.base}/")
    assert "150 tool-150" in pages.text(older)
    oldest = pages.links(older)["next"].removeprefix(f"{pages.base}/")
    assert "50 tool-50" in pages.text(oldest)
    assert len(pages.rows(oldest)) == 50
    back = pages.links(oldest)["prev"].removeprefix(f"{pages.base}/")
    assert pages.rows(back) == pages.rows(older)


def test_the_page_refreshes_only_after_a_change(pages, agent):
    agent.post(an_item())
    rows, url = (
        live_url(pages, "sessions/s-1/", "calls"),
        live_url(pages, "sessions/s-1/", "session"),
    )
    assert pages.client.get(rows).status_code == 204
    assert pages.client.get(url).status_code == 204
    agent.post(an_item(tool_name="fresh"))
    assert "2 fresh" in text_of(pages.client.get(rows))
    running = "s-1 is running: 2 calls so far, all verified as success"
    assert running in text_of(pages.client.get(url))


def test_the_duration_refreshes_with_the_status(pages, agent):
    agent.post(an_item(timestamp="2026-11-01T10:00:00Z"))
    assert '<dd id="lasted">&lt; 1 ms</dd>' in pages.get("sessions/s-1/").content.decode()
    url = live_url(pages, "sessions/s-1/", "session")
    agent.post(an_item(timestamp="2026-11-01T10:00:06Z"))
    part = pages.client.get(url).content.decode()
    assert '<dd id="lasted" hx-swap-oob="true">6.0 s</dd>' in part


def test_a_late_result_updates_its_row(pages, agent):
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
def test_a_session_id_can_contain_any_characters(pages, agent, session_id):
    agent.post(an_item(session_id, tool_name="inside"))
    body = pages.get("sessions/").content.decode()
    href = body.split('class="row-link mono" href="')[1].split('"')[0].replace("&amp;", "&")
    assert "/../" not in href
    assert "inside" in text_of(pages.client.get(href))
    assert pages.client.get(live_of(pages.client.get(href), "calls")).status_code == 204
    assert pages.client.get(live_of(pages.client.get(href), "session")).status_code == 204


def test_a_session_id_with_slashes_can_be_written_unescaped_in_the_url(pages, agent):
    agent.post(an_item("team/run/7"))
    assert pages.get("sessions/team/run/7/").status_code == 200


def test_the_same_id_in_two_environments_is_two_sessions(project, pages, agent):
    agent.post(an_item("s-1", tool_name="here"))
    staging = type(agent)(builders.bearing(builders.a_key(project, "ingest", env="staging")[0]))
    staging.post(an_item("s-1", tool_name="there"))
    assert "here" in pages.session("s-1", environment="production")
    assert "there" in pages.session("s-1", environment="staging")
    assert pages.get("sessions/s-1/", environment="nowhere").status_code == 404


def test_a_session_of_another_project_is_404(pages, agent):
    agent.post(an_item())
    other = builders.a_member(builders.a_project(), Role.ADMIN)
    theirs = Pages(builders.signed_in(other.user), other.project.slug)
    assert theirs.get("sessions/s-1/").status_code == 404
    assert theirs.rows("sessions/") == []
    assert theirs.get("live/calls/", of="s-1").status_code == 404
    assert theirs.get("live/session/", of="s-1").status_code == 404


def test_values_sent_by_agents_are_escaped(pages, agent):
    bad = "<script>alert(1)</script>"
    agent.post(
        an_item(bad, tool_name=bad, agent_id=bad, turn_id=bad, output="Error: " + bad,
                tool_args={bad: bad}, principal={"user_id": bad}),
        a_denied_item(bad, reason=bad, details=bad, decision_name=bad),
    )  # fmt: skip
    for path in ("sessions/", "calls/"):
        assert bad not in pages.get(path).content.decode()
    assert bad in pages.session(bad)
    assert bad.encode() not in pages.get(f"sessions/{bad.replace('/', '%2F')}/").content


@pytest.mark.parametrize("calls", [1, 300])
def test_the_number_of_queries_of_session_pages_does_not_depend_on_their_content(
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
    urls = re.findall(r'data-live hx-get="([^"]*)"', response.content.decode())
    return next(html.unescape(url) for url in urls if f"/live/{part}/?" in url)


@pytest.mark.parametrize(
    ("page", "listed"),
    [
        ("sessions/s-1/", "sessions"),
        ("calls/c-1/", "calls"),
        ("compare-sessions/?of=s-1", "sessions"),
    ],
)
def test_switching_the_environment_on_a_detail_page_leads_to_the_list(
    pages, agent, project, page, listed
):
    agent.post(an_item(call_id="c-1"))
    builders.an_environment(project, "staging")
    shown = pages.get(page).content.decode()
    in_staging = [url for url in re.findall('href="([^"]*)"', shown) if "=staging" in url]
    assert in_staging == [f"{pages.base}/{listed}/?environment=staging"]
    assert pages.client.get(in_staging[0]).status_code == 200


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def test_session_figures_are_compared_with_earlier_sessions_of_the_agent(pages, agent, project):
    too_old = [an_item("s-old", timestamp=days_ago(11), output="Error: no") for _ in range(5)]
    others = [an_item("s-of-another", agent_id="ops", timestamp=days_ago(1)) for _ in range(5)]
    first = [an_item("s-1", timestamp=days_ago(3)) for _ in range(3)]
    first += [an_item("s-1", timestamp=days_ago(2.5), output="Error: no")]
    second = [an_item("s-2", timestamp=days_ago(1)), a_denied_item("s-2", timestamp=days_ago(1))]
    agent.post(*too_old, *others, *first, *second, an_item("s-3"), an_item("s-3"))
    staging = type(agent)(builders.bearing(builders.a_key(project, "ingest", env="staging")[0]))
    staging.post(an_item("s-2", timestamp=days_ago(1), output="Error: no"))
    body = pages.get("sessions/s-3/").content.decode()
    assert "vs 80.0 % of 5 in 2 earlier sessions" in tile(body, "rate")
    assert tile(body, "calls").endswith("vs 3 on average")
    assert tile(body, "failures").endswith("vs 0.5 on average")
    assert tile(body, "waste").endswith("vs 0 on average")
    assert tile(body, "time").endswith("earlier sessions lasted 6 h on average")
    text = pages.session("s-2", environment="production")
    assert "vs 75.0 % of 4 in 1 earlier session" in text
    assert "no earlier session in 7 days" in pages.session("s-1")


def test_the_session_count_is_compared_with_the_previous_period(pages, agent):
    agent.post(
        an_item("s-1"),
        an_item("s-2", timestamp=days_ago(1.5)),
        a_denied_item("s-2", timestamp=days_ago(1.5), reason="limit"),
        an_item("s-3", timestamp=days_ago(1.4)),
        an_item("s-4", agent_id="ops", timestamp=days_ago(1.4)),
        an_item("s-5", timestamp=days_ago(3)),
    )
    before = "Previous 24 hours: 3 sessions, 1 hit a limit."
    assert before in pages.text("sessions/", range="24h")
    assert "Previous 24 hours: 1 session." in pages.text("sessions/", range="24h", agent="ops")
    for chosen in ({"range": "all"}, {"range": "24h", "q": "s-1"}):
        assert not re.search(r"Previous [\w ]+: ", pages.text("sessions/", **chosen))


def test_the_comparison_element_exists_even_without_text(pages, agent):
    agent.post(an_item("s-1"))
    place = '<p id="second-sentence"{}></p>'
    assert place.format("") in pages.get("sessions/", range="all").content.decode()
    part = pages.get("live/sessions/", range="all").content.decode()
    assert place.format(' hx-swap-oob="true"') in part
