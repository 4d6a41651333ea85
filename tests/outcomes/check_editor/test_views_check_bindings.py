"""Call counts on the pages of success checks, read from the rollups."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from governance.checks.queries.bindings import bindings_of
from outcomes.check_editor.domain.quotas import Partly, SharedOut
from outcomes.check_editor.queries.classified_calls import calls_shared_out, two_calls_shared_out
from outcomes.check_editor.views.check_bindings import A_DAY, uncovered_sentence
from tests import builders
from tests.builders import an_outcome
from tests.governance.naming import a_check, bound
from tests.outcomes.pages import Pages, text_of
from tests.outcomes.posting import Agent

PREVIEW, USE = "checks/bindings/preview/", "checks/use/"


@pytest.fixture
def called(project, agent: Agent) -> None:
    """Ten calls: five of http_get (two by a billing bot), three of crm_read, and two denied."""
    for number in range(5):
        bot = "billing-bot" if number < 2 else "other"
        agent.post(an_outcome(tool_name="http_get", agent_id=bot, output=number))
    agent.post(*(an_outcome(tool_name="crm_read", output=None) for _ in range(3)))
    agent.post(*(an_outcome(tool_name="shell", type="denied", reason="limit") for _ in range(2)))


def alone(pages: Pages, path: str, *lines: tuple[str, str, str, str], **query: str) -> str:
    headers = {"HX-Request": "true"}
    if not lines:
        return pages.client.get(f"{pages.base}/{path}", query, headers=headers).content.decode()
    names = ("environment", "agent", "tool", "check")
    sent = dict(zip(names, map(list, zip(*lines, strict=True)), strict=True))
    return pages.client.post(f"{pages.base}/{path}", sent, headers=headers).content.decode()


def judged(body: str) -> list[str]:
    matches = re.findall(r'id="judged-\w+" hx-swap-oob="true">\s*(?:<[^>]*>)?(\d+)', body)
    return list(matches)


@pytest.mark.usefixtures("called")
def test_unsaved_bindings_are_counted_as_edited(project, pages: Pages):
    lines = [("*", "billing-*", "*", "http"), ("*", "*", "http_*", "http"), ("x", "*", "*", "")]
    body = alone(pages, PREVIEW, *lines)
    assert judged(body) == ["2", "3", "0", "3"]
    assert "1 tool uses the default check only (38 % of calls)" in body
    assert "/tools/crm_read/" in body
    assert "shell" not in body


@pytest.mark.usefixtures("called")
def test_saved_bindings_are_counted_on_a_separate_page(project, pages: Pages):
    bound(project, "http_* http", "* mcp")
    text = pages.text(PREVIEW)
    assert "A binding matches every call" in text
    assert "* * http_* http 5" in text
    assert "* * * mcp 3" in text


@pytest.mark.usefixtures("called")
def test_without_javascript_bindings_survive_the_preview(project, pages: Pages):
    sent = {"environment": "*", "agent": "*", "tool": "http_*", "check": "http", "revision": "7"}
    answer = pages.client.post(f"{pages.base}/{PREVIEW}", sent)
    body = answer.content.decode()
    assert "* * http_* http 5" in text_of(answer)
    for name, value in sent.items():
        assert f'name="{name}" value="{value}"' in body


@pytest.mark.usefixtures("called")
def test_each_check_has_the_calls_of_its_bindings(project, pages: Pages):
    a_check(project)
    bound(project, "http_get mine", "crm_* mine", "nothing http")
    body = alone(pages, USE)
    assert re.search(
        r'id="use-of-mine" hx-swap-oob="true">\s*8\s*<span class="row-sub">vs 0<', body
    )
    assert re.search(r'id="use-of-http" hx-swap-oob="true" class="quiet-text">\s*0\s*<', body)
    assert "mine 8" in pages.text(USE)
    assert re.search(r'<span id="use-of-mine">\s*8\s*<', alone(pages, USE, of="mine"))
    assert "none" in alone(pages, USE, of="flags")


@pytest.mark.usefixtures("called")
@pytest.mark.parametrize(
    ("lines", "used"),
    [
        (["http_get mine"], {"mine": (5, 4), "default": (3, 0)}),
        (
            ["* billing-* http_* http", "http_get mine"],
            {"http": (2, 3), "mine": (3, 1), "default": (3, 0)},
        ),
        (["* nobody-* * http"], {"http": (0, 0), "default": (8, 4)}),
    ],
)
def test_each_check_is_compared_with_the_previous_day(project, agent, pages: Pages, lines, used):
    a_check(project)
    bound(project, *lines)
    for hours, bot in ((25, "billing-bot"), (30, "billing-bot"), (47, "billing-bot"), (26, "bot")):
        at = (datetime.now(UTC) - timedelta(hours=hours)).isoformat()
        agent.post(an_outcome(tool_name="http_get", agent_id=bot, output=1, timestamp=at))
    at = (datetime.now(UTC) - timedelta(hours=49)).isoformat()
    agent.post(an_outcome(tool_name="http_get", agent_id="billing-bot", output=1, timestamp=at))
    body = json.loads(b"".join(pages.get(USE, table="checks", format="json").streaming_content))
    rows = {row["check"]: (row["calls"], row["calls_before"]) for row in body["checks"]}
    assert rows == used


@pytest.mark.usefixtures("called")
def test_the_previous_day_takes_one_query(project):
    a_check(project)
    bound(project, "http_get mine")
    lines, day = tuple(bindings_of(project).lines), datetime.now(UTC) - A_DAY
    with CaptureQueriesContext(connection) as queries:
        calls_shared_out(project.pk, lines, day)
    with CaptureQueriesContext(connection) as both:
        two_calls_shared_out(project.pk, lines, since=day - A_DAY, cut=day)
    assert len(both) == len(queries) + 1


def test_a_project_without_calls_has_an_empty_state(pages: Pages):
    assert "No calls in the last 24 hours" in pages.text(PREVIEW)
    assert "0 calls in the last 24 hours, by check" in pages.text(USE)


@pytest.mark.usefixtures("called")
def test_calls_of_another_project_do_not_count(project, pages: Pages):
    other = builders.a_project()
    key = builders.a_key(other, "ingest")[0]
    Agent(builders.bearing(key)).post(an_outcome(tool_name="http_get", output=1))
    assert judged(alone(pages, PREVIEW, ("*", "*", "http_get", "http"))) == ["5", "3"]


@pytest.mark.usefixtures("called")
def test_calls_older_than_a_day_do_not_count(project, agent: Agent, pages: Pages):
    agent.post(an_outcome(tool_name="http_get", output=1, timestamp="2020-01-01T00:00:00Z"))
    assert judged(alone(pages, PREVIEW, ("*", "*", "http_get", "http"))) == ["5", "3"]


@pytest.mark.usefixtures("called")
def test_the_newest_of_very_many_calls_are_extrapolated_to_all(project, pages: Pages, monkeypatch):
    monkeypatch.setattr("outcomes.check_editor.queries.classified_calls.LOOKED_THROUGH", 1)
    assert judged(alone(pages, PREVIEW, ("*", "billing-bot", "*", "http"))) == ["2", "6"]


@pytest.mark.usefixtures("called")
def test_the_number_of_queries_does_not_depend_on_the_number_of_bindings(
    project, pages: Pages, django_assert_max_num_queries
):
    lines = [("*", f"billing-{number}*", "*", "http") for number in range(60)]
    lines += [("production", "billing-*", f"t{number}", "http") for number in range(60)]
    with django_assert_max_num_queries(12):
        alone(pages, PREVIEW, *lines)


@pytest.mark.parametrize(
    ("result", "explanation"),
    [
        (SharedOut((), 0, ()), "No calls in the last 24 hours"),
        (SharedOut((5,), 2, ()), "A binding matches every call"),
        (SharedOut((50,), 50, (("a", 50),)), "1 tool uses the default check only (50 % of calls)"),
        (
            SharedOut((999,), 1, (("a", 1),)),
            "1 tool uses the default check only (<1 % of calls)",
        ),
        (
            SharedOut((68,), 32, tuple((f"t{n}", 2) for n in range(16))),
            "16 tools use the default check only (32 % of calls)",
        ),
        (
            SharedOut((38,), 62, (("a", 1),), (Partly("b", 61, 70),)),
            "1 tool uses the default check only (1 % of calls), 1 more for some calls (61 %)",
        ),
        (
            SharedOut((50,), 50, (), (Partly("b", 20, 30), Partly("c", 30, 70))),
            "2 tools use the default check for some calls (50 %)",
        ),
    ],
)
def test_the_coverage_sentence_has_singular_and_plural_forms(result, explanation):
    assert uncovered_sentence(result) == explanation


@pytest.mark.usefixtures("called")
def test_the_headline_counts_the_bindings_on_screen(project, pages: Pages):
    saved = alone(pages, PREVIEW)
    assert "No bindings: agents&#x27; own checks decide, else the default check" in saved
    begun = alone(pages, PREVIEW, ("*", "*", "http_*", "http"), ("*", "*", "", ""))
    assert 'id="sentence" hx-swap-oob="true">1 binding for 1 check, not saved yet' in begun


@pytest.mark.usefixtures("called")
def test_the_card_of_a_check_lists_bindings_with_their_calls(project, pages: Pages):
    a_check(project)
    bound(project, "http_get mine")
    at = "live/check-bindings/"
    text = pages.text(at, of="mine")
    assert "* · * · http_get mine 5 62.5 %" in text
    assert "* · * · * default 3 37.5 %" in text
    assert "Save the check to bind it." in pages.text(at, editor="1")
