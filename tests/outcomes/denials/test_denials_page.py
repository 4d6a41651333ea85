"""The denials pages: counts by reason and rule, with loops first."""

import csv
import html
import io
import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from outcomes.core.scope import scope_from
from outcomes.models import Call
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.serving import deployed
from tests.outcomes.pages import a_denied_item, an_item, text_of

CONTRACT = document(pre(ALWAYS, rule_id="no-rm"), pre(ALWAYS, rule_id="no-mail"))


def ago(**time: float) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


def bars(body: str, noun: str) -> dict[str, tuple[int, int]]:
    """Rows of a list of bars: current and previous count of each name."""
    matches = re.findall(rf'data-row="{noun}-([^"]*)">(.*?)</li>', body, flags=re.S)
    return {
        html.unescape(name): (
            _number(r'bars-count">\s*([\d,]+)', rows_shown),
            _number(r"vs ([\d,]+)", rows_shown),
        )
        for name, rows_shown in matches
    }


def rules(body: str) -> dict[str, tuple[int, int]]:
    matches = re.findall(r'<tr data-row="rule-([^"]*)">(.*?)</tr>', body, flags=re.S)
    return {
        html.unescape(name): (
            _number(r"<b>\s*([\d,]+)\s*</b>", rows_shown),
            _number(r'data-label="previous">\s*([\d,]+)', rows_shown),
        )
        for name, rows_shown in matches
    }


def _number(pattern: str, text: str) -> int:
    (matches,) = re.findall(pattern, text)
    return int(matches.replace(",", ""))


@pytest.fixture
def version(project):
    return deployed(project, CONTRACT, name="ops")


def by_rule(rule: str, session: str = "s-1", **fields: Any) -> dict[str, Any]:
    denial = {"decision_name": rule, "bundle_name": "ops", "details": "Not here."}
    return a_denied_item(session, **denial | fields)


def test_an_empty_project_shows_an_empty_state(pages):
    assert "No calls yet" in pages.text("denials/")


def test_a_period_without_denials_shows_an_empty_state(pages, agent):
    agent.post(an_item(), an_item())
    text = pages.text("denials/")
    assert "No denials in the last 24 hours" in text
    assert "No session had the same call denied 3 times or more" in text


def test_denial_counts_are_compared_with_the_previous_period(pages, agent, version):
    agent.post(
        by_rule("no-rm", tool_name="shell"),
        by_rule("no-rm", tool_name="shell", agent_id="other"),
        a_denied_item(reason="validation", tool_name="mail"),
        an_item(),
        by_rule("no-rm", tool_name="shell", timestamp=ago(hours=30)),
        a_denied_item(reason="limit", tool_name="mail", timestamp=ago(hours=60)),
    )
    page = pages.get("denials/")
    body = page.content.decode()
    assert "3 of 4 calls denied, vs 1 in the previous 24 hours" in text_of(page)
    assert bars(body, "reason") == {"contract": (2, 1), "validation": (1, 0)}
    assert bars(body, "tool") == {"shell": (2, 1), "mail": (1, 0)}
    assert bars(body, "agent") == {"bot": (2, 1), "other": (1, 0)}
    assert rules(body) == {"no-rm": (2, 1)}
    assert f"ops v{version.number}" in text_of(page)
    assert "2 of 3 name a rule" in text_of(page)


def test_three_identical_denials_are_listed_as_a_loop_with_a_link_to_the_session(pages, agent):
    """Ongoing loops are listed before longer ones that have ended."""
    again: dict[str, Any] = {"tool_args": {"path": "build"}, "tool_name": "shell"}
    agent.post(
        *[a_denied_item("s-loop", **again) for _ in range(3)],
        *[a_denied_item("s-two", **again) for _ in range(2)],
        *[a_denied_item("s-old", **again, timestamp=ago(minutes=9 + n)) for n in range(4)],
        *[a_denied_item("s-none") for _ in range(5)],
    )
    page = pages.get("denials/")
    body = page.content.decode()
    assert "s-loop is stuck: shell denied 3 times by contract" in text_of(page)
    assert re.findall(r'data-row="loop-production-([^"]*)"', body) == ["s-loop", "s-old"]
    assert body.count('<span class="live">still going</span>') == 1
    assert "sessions/s-loop/?environment=production#loop" in body


def test_a_rule_page_links_to_the_calls_it_denied_and_to_its_source(pages, agent, version):
    agent.post(
        *[by_rule("no-rm", tool_name="shell", tool_args={"of": "build"}) for _ in range(6)],
        by_rule("no-rm", tool_name="mail"),
        by_rule("no-mail", tool_name="mail"),
        an_item(),
    )
    body = pages.get("denials/").content.decode()
    (link,) = re.findall(r'<tr data-row="rule-no-rm">.*?href="([^"]*)"', body, flags=re.S)
    page = pages.client.get(html.unescape(link))
    body, text = page.content.decode(), text_of(page)
    assert "no-rm denied 7 of 9 calls, vs 0 in the previous 24 hours" in text
    assert bars(body, "tool") == {"shell": (6, 0), "mail": (1, 0)}
    assert "Same call, denied 4 more times" in text
    assert 'of: "build"' in text
    assert re.search(rf"contracts/b/ops/versions/{version.number}/\?range=24h#L\d+", body), body
    assert "Backtest" in text
    assert "Try in playground" not in text  # its arguments were not reported
    (calls,) = re.findall(r'href="([^"]*)">\s*mail\s*</a>', body)
    listed = pages.client.get(html.unescape(calls)).content.decode()
    assert listed.count('<tr data-row="') == 1


def test_an_unknown_rule_has_an_empty_page(pages, agent):
    agent.post(an_item())
    assert "gone denied no calls" in pages.text("denials/rule/", rule="gone")
    assert pages.get("denials/rule/").status_code == 404


def test_filters_by_reason_and_rule_can_be_added_and_removed(pages, agent, version):
    agent.post(by_rule("no-rm"), by_rule("no-mail"), a_denied_item(reason="limit"), an_item())
    assert len(pages.rows("calls/", reason="contract")) == 2
    assert len(pages.rows("calls/", rule="no-mail", show="denied")) == 1
    body = pages.get("calls/", reason="contract", rule="no-mail").content.decode()
    (without,) = re.findall(r'href="([^"]*)">\s*rule <code>no-mail</code>', body)
    wider = pages.client.get(html.unescape(without)).content.decode()
    assert wider.count('<tr data-row="') == 2


def test_the_live_section_updates_only_when_denials_change(pages, agent):
    agent.post(a_denied_item())
    body = pages.get("denials/", range="30d").content.decode()
    (live,) = re.findall(r'id="denials" data-live hx-get="([^"]*)"', body)
    rows_shown = pages.client.get(html.unescape(live))
    # The minute may have changed in the meantime.
    assert rows_shown.status_code == 204 or 'id="denials"' in rows_shown.content.decode()
    agent.post(a_denied_item())
    fresh = pages.client.get(html.unescape(live)).content.decode()
    assert bars(fresh, "reason") == {"contract": (2, 0)}
    assert 'id="sentence" hx-swap-oob="true"' in fresh


def test_each_table_can_be_downloaded(pages, agent, version):
    again: dict[str, Any] = {"tool_args": {"path": "build"}, "tool_name": "shell"}
    agent.post(*[by_rule("no-rm", "s-loop", **again) for _ in range(3)])

    def rows(**query):
        rows_shown = pages.get("denials/", format="csv", **query)
        text = b"".join(rows_shown.streaming_content).decode()
        return list(csv.DictReader(io.StringIO(text, newline="")))

    (loop,) = rows(table="loops")
    assert (loop["session_id"], loop["times"], loop["rule"]) == ("s-loop", "3", "no-rm")
    (rule,) = rows(table="rules")
    assert (rule["rule"], rule["contract"], rule["denied"]) == ("no-rm", "ops", "3")
    (line,) = rows()
    assert (line["tool_name"], line["agent_id"], line["denied"]) == ("shell", "bot", "3")
    assert rows(table="loops", environment="staging") == []
    calls = pages.get("denials/rule/", rule="no-rm", format="json")
    body = json.loads(b"".join(calls.streaming_content))["denied_calls"]
    assert [call["tool_name"] for call in body] == ["shell"] * 3


def test_the_denials_pages_use_at_most_twelve_queries(
    pages, agent, version, django_assert_max_num_queries
):
    for number in range(4):
        agent.post(
            *[by_rule(f"r-{number}-{each}", f"s-{each}", tool_args={}) for each in range(12)],
            *[a_denied_item(f"s-{each}", tool_name=f"t-{number}-{each}") for each in range(12)],
        )
    rule = "denials/rule/?rule=r-1-1"
    for path in (
        "denials/?range=7d",
        "denials/?range=7d&agent=bot",
        "denials/?agent=nobody",
        rule,
        f"{rule}&agent=bot&contract=ops&version=1",
    ):
        pages.get(path)
        with django_assert_max_num_queries(12):
            assert pages.get(path).status_code == 200


def mixed_traffic() -> list[dict[str, Any]]:
    """Every combination of reason, tool and agent, over four days."""
    kinds = (
        lambda: by_rule("no-rm", bundle_name="ops"),
        lambda: a_denied_item("s-2", "limit", decision_name="sessions"),
        lambda: a_denied_item("s-3", "a reason that nobody knows"),
        lambda: an_item("s-4"),
    )
    return [
        kinds[number % 4]()
        | {
            "tool_name": ("shell", "mail/1", "l\N{LATIN SMALL LETTER O WITH DIAERESIS}schen")[
                number % 3
            ],
            "agent_id": ("a", "b")[number // 7 % 2],
            "timestamp": ago(minutes=3 + 47 * number),
        }
        for number in range(120)
    ]


@pytest.mark.parametrize(
    "query",
    [
        {"range": "24h"},
        {"range": "24h", "agent": "b"},
        {"range": "7d", "environment": "production"},
    ],
)
def test_denial_counts_match_a_recount_and_the_stats_api(pages, agent, version, query):
    agent.post(*mixed_traffic())
    scope = scope_from(query, now=datetime.now(UTC), zone=UTC)
    body = pages.get("denials/", **query).content.decode()
    nouns = ("reason", "tool", "agent", "rule")
    should: dict[str, Counter[tuple[str, bool]]] = {noun: Counter() for noun in nouns}
    denied = Call.objects.filter(kind="denied", at__gte=scope.previous.since, at__lt=scope.until)
    for call in denied.select_related("tool", "agent"):
        if scope.agent not in ("", call.agent.name):
            continue
        names = (call.reason, call.tool.name, call.agent.name, call.rule)
        for noun, name in zip(nouns, names, strict=True):
            if noun != "rule" or call.rule:
                should[noun][name, call.at >= scope.since] += 1
    for noun, counts in should.items():
        rows_shown = rules(body) if noun == "rule" else bars(body, noun)
        assert rows_shown == {
            name: (counts[name, True], counts[name, False]) for name, now in counts if now
        }
    time = {"since": scope.since.isoformat(), "until": scope.until.isoformat()}
    stats = agent.get("stats", by="reason", **time, **{"agent": scope.agent} if scope.agent else {})
    by_key = {row["key"]: row["denied"] for row in stats["rows"]}
    assert by_key == {name: number for (name, now), number in should["reason"].items() if now}
