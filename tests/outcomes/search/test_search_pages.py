"""Search on the pages of calls and sessions, and over HTTP."""

import html
import re
from urllib.parse import parse_qs

import pytest

from outcomes.search.queries import sessions as searched_sessions
from tests.outcomes.pages import Pages, a_denied_item, an_item, text_of
from tests.outcomes.posting import Agent
from tests.outcomes.waiting_jobs import run_waiting_indexes


def body_of(pages: Pages, path: str = "calls/", **query) -> str:
    body: str = pages.get(path, **query).content.decode()
    return body


def marked(body: str) -> list[str]:
    return [html.unescape(each) for each in re.findall(r"<mark>(.*?)</mark>", body)]


def ids(answered) -> list[str]:
    return [each["call_id"] for each in answered["outcomes"]]


def lookups(agent: Agent) -> None:
    agent.post(
        an_item(
            "s-1",
            call_id="c-1",
            tool_name="crm_lookup",
            tool_args={"region": "eu-west", "account": "A-2091"},
            output={"status": 503, "error": "upstream timeout"},
            principal={"user_id": "tenant-nord"},
        ),
        an_item("s-2", call_id="c-2", tool_name="crm_lookup", output={"status": 200}),
        a_denied_item("s-2", call_id="c-3", tool_name="mail", details="No upstream mail."),
    )
    run_waiting_indexes()


def test_a_hit_highlights_its_matches(pages: Pages, agent: Agent):
    lookups(agent)
    body = body_of(pages, q="tool:crm_lookup output.status:>=500 principal:tenant-nord upstream")
    assert marked(body) == ["crm_lookup", "503", "upstream", "tenant-nord"]
    assert "1 call matches, none failed" in text_of(pages.get("calls/", q="eu-west"))
    assert marked(body_of(pages, q="a-2091")) == ["A-2091"]
    assert marked(body_of(pages, q="c-2")) == ["c-2"]
    assert "1 of 2 matching calls was denied" in pages.text("calls/", q="upstream")


def test_a_match_deep_inside_a_long_text_is_visible(pages: Pages, agent: Agent):
    text = f"{'before ' * 300}needle{' after' * 300}"
    agent.post(an_item(output={"a": "x" * 300, "b": 2, "long": text}))
    run_waiting_indexes()
    body = body_of(pages, q="needle")
    assert marked(body) == ["needle"]
    before = re.search(r'<span class="mono">([^<]*)<mark>', body)  # wrapped, not cut
    assert before
    assert len(before[1]) < 80


def test_each_term_is_a_chip_that_can_be_removed(pages: Pages, agent: Agent):
    lookups(agent)
    body = body_of(pages, q=["tool:crm_lookup", "-status", "upstream"], show="denied")
    (removal,) = re.findall(r'<a href="([^"]*)" aria-label="Remove tool', body)
    address, _, query = html.unescape(removal).partition("?")
    assert address == f"{pages.base}/calls/"
    assert parse_qs(query)["q"] == ["-status upstream"]
    assert parse_qs(query)["show"] == ["denied"]
    assert 'type="hidden" name="q" value="tool:crm_lookup"' in body
    assert 'value="-status upstream"' in body


def test_a_syntax_error_is_reported_with_its_position_and_no_rows(pages: Pages, agent: Agent):
    lookups(agent)
    text = pages.text("calls/", q="output.status:>=abc")
    assert "needs a number, not abc (at character 17)." in text
    assert pages.rows("calls/", q="output.status:>=abc") == []
    refused = agent.client.get("/v1/outcomes", {"q": "output.status:>=abc"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["path"] == "q"
    assert agent.client.get("/v1/agent-sessions", {"q": "tool:"}).status_code == 422


def test_sessions_are_searched_by_their_calls_and_by_name(pages: Pages, agent: Agent):
    lookups(agent)
    assert len(pages.rows("sessions/", q="output.status:>=500")) == 1
    assert len(pages.rows("sessions/", q="upstream")) == 2
    assert len(pages.rows("sessions/", q="s-1")) == 1
    assert len(pages.rows("sessions/", q="tool:mail -agent:bot")) == 0
    sessions = agent.get("agent-sessions", q="output.status:503 tool:crm_lookup")["sessions"]
    assert [each["session_id"] for each in sessions] == ["s-1"]


def test_a_list_of_sessions_continues_with_older_matches(pages: Pages, agent: Agent, monkeypatch):
    agent.post(*(an_item(f"s-{n % 3}", output="upstream timeout") for n in range(12)))
    run_waiting_indexes()
    assert "newest matching calls" not in pages.text("sessions/", q="upstream")
    monkeypatch.setattr(searched_sessions, "NEWEST_HITS", 2)
    assert "Sessions of the newest matching calls, back to" in pages.text("sessions/", q="upstream")
    seen, address = [], "sessions/?q=upstream"
    for _ in range(6):
        body = pages.get(address).content.decode()
        seen += re.findall(r'<a class="row-link mono"\s+href="[^"]*/sessions/(s-\d)/', body)
        older = re.search(r'<a href="([^"]*)">Older matches</a>', body)
        if older is None:
            break
        address = html.unescape(older[1]).removeprefix(f"{pages.base}/")
    assert older is None
    assert sorted(seen) == ["s-0", "s-1", "s-2"]
    assert 'href="' in body
    assert "Newest matches" in body
    exported = pages.get("sessions/", q="upstream", format="csv").getvalue().decode()
    assert sorted(re.findall(r"^s-\d", exported, re.MULTILINE)) == ["s-0", "s-1", "s-2"]


def test_sessions_with_a_matching_name_are_listed_once(pages: Pages, agent: Agent, monkeypatch):
    agent.post(*(an_item(f"upstream-{n}", output="upstream timeout") for n in range(3)))
    run_waiting_indexes()
    monkeypatch.setattr(searched_sessions, "NEWEST_HITS", 1)
    first = pages.get("sessions/", q="upstream").content.decode()
    assert len(pages.rows("sessions/", q="upstream")) == 3
    (address,) = re.findall(r'<a href="([^"]*)">Older matches</a>', first)
    older = html.unescape(address)
    assert pages.rows(older.removeprefix(f"{pages.base}/")) == []


def test_the_api_lists_the_sessions_of_all_matching_calls(agent: Agent, monkeypatch):
    agent.post(*(an_item(f"s-{n % 4}", output="upstream timeout") for n in range(12)))
    run_waiting_indexes()
    monkeypatch.setattr(searched_sessions, "NEWEST_HITS", 3)
    seen: list[str] = []
    cursor: dict[str, str] = {}
    for _ in range(20):
        page = agent.get("agent-sessions", q="upstream", limit=2, **cursor)
        seen += [each["session_id"] for each in page["sessions"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert page["next"] is None
    assert sorted(seen) == ["s-0", "s-1", "s-2", "s-3"]


@pytest.mark.parametrize("matches", ["x", "1", "1.", "9" * 30 + ".1", "1.-2", "٣.1"])
def test_an_invalid_page_of_matches_falls_back_to_the_newest(pages: Pages, agent: Agent, matches):
    lookups(agent)
    assert pages.get("sessions/", q="upstream", matches=matches).status_code == 200


def test_a_new_search_preserves_the_filters_of_the_list(pages: Pages, agent: Agent):
    lookups(agent)
    body = pages.get("sessions/", q="upstream", range="7d", state="ended").content.decode()
    form = body[
        body.index('<form class="query"') : body.index("</form>", body.index('class="query"'))
    ]
    assert '<input type="hidden" name="range" value="7d">' in form
    assert '<input type="hidden" name="state" value="ended">' in form


def test_the_api_has_the_same_query_language_and_pagination(pages: Pages, agent: Agent):
    lookups(agent)
    assert ids(agent.get("outcomes", q="upstream -tool:mail")) == ["c-1"]
    first = agent.get("outcomes", q="crm_lookup", limit=1)
    assert ids(first) == ["c-2"]
    assert ids(agent.get("outcomes", q="crm_lookup", limit=1, cursor=first["next"])) == ["c-1"]
    assert ids(agent.get("outcomes", q="upstream", verdict="failure")) == []
    assert ids(agent.get("outcomes", q="upstream", session="s-2")) == ["c-3"]


def test_text_matches_id_tool_and_error_before_a_call_is_indexed(agent: Agent):
    agent.post(an_item(call_id="run:42:7", tool_name="send_mail", type="failure", error="SMTP 451"))
    for text in ("run:42", "d_ma", "smtp 45", "451"):
        assert ids(agent.get("outcomes", q=text)) == ["run:42:7"], text


def test_the_page_counts_events_not_indexed_yet(pages: Pages, agent: Agent):
    lookups(agent)
    assert "not indexed" not in pages.text("calls/", q="upstream")
    agent.post(an_item())
    assert "1 new event not indexed yet." in pages.text("calls/", q="upstream")


def test_a_search_is_filtered_like_the_list(pages: Pages, agent: Agent):
    lookups(agent)
    assert len(pages.rows("calls/", q="upstream", show="denied")) == 1
    assert len(pages.rows("calls/", q="upstream", tool="crm_lookup")) == 1
    assert len(pages.rows("calls/", q="upstream", environment="staging")) == 0
    exported = pages.get("calls/", q="upstream -tool:mail", format="csv").getvalue().decode()
    assert "c-1" in exported
    assert "c-3" not in exported


def test_masked_values_are_not_searchable(pages: Pages, agent: Agent):
    agent.post(
        an_item(tool_args={"api_key": "hunter2secret"}, type="failure", error="bad hunter2secret")
    )
    run_waiting_indexes()
    for guess in ("hunter2secret", "hunter", "error:hunter2secret", "args.api_key:hunter2secret"):
        assert pages.rows("calls/", q=guess) == [], guess
        assert ids(agent.get("outcomes", q=guess)) == [], guess


def test_older_hits_are_on_the_next_page(pages: Pages, agent: Agent):
    agent.post(*(an_item(output="same") for _ in range(150)))
    run_waiting_indexes()
    assert "150 calls match, none failed" in pages.text("calls/", q="same")
    first, older = pages.rows("calls/", q="same"), pages.links("calls/", q="same")["next"]
    second = re.findall(r'<tr data-row="(\d+)"', pages.client.get(older).content.decode())
    assert (len(first), len(second)) == (100, 50)
    assert not set(first) & set(second)
