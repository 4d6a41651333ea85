"""Counters never decrease and count each call once, even if calls are later changed or removed."""

from datetime import timedelta

import pytest

from governance.core.actor import CONSOLE
from outcomes.demo.commands import remove_traffic
from outcomes.figures.commands.totals import choose_named_tools
from outcomes.figures.domain import totals
from outcomes.models import Call, NamedTool, Rollup, RollupMinute, Session, Tool
from outcomes.retention.commands import erasing
from outcomes.retention.commands.rules import set_rule
from outcomes.retention.domain import Kind
from outcomes.sessions.commands.removal import remove_session
from tests.edictum_site.metrics.scraping import counters, rolled_up, scraped
from tests.items import an_event
from tests.outcomes.pages import a_denied_item, an_item
from tests.outcomes.reclassification.test_rejudging import unified
from tests.outcomes.rejudging import CHECK, reclassified
from tests.outcomes.retention.later import carried_out, days_later
from tests.outcomes.retention.test_erasing import erased
from tests.outcomes.waiting_jobs import run_waiting_removals

OF_BOT = {"agent_id": "bot", "tool_name": "query", "run_id": None}


@pytest.fixture
def before(agent, reader):
    """Counters after some calls of each kind."""
    agent.post(
        *(an_item(f"s-{number}", output={"ok": number % 2 == 0}) for number in range(6)),
        a_denied_item("s-1", reason="limit"),
        an_item("s-2", tool_name="send", type="timeout", output=None, tool_success=None),
    )
    rolled_up()
    counted = counters(scraped(reader))
    assert sum(counted.values()) > 8
    return counted


def now(reader):
    rolled_up()
    return counters(scraped(reader))


def test_retention_of_calls_and_rollups_does_not_change_counters(
    project, reader, before, monkeypatch
):
    set_rule(project, kind=Kind.PAYLOADS, days=7, env="", by=CONSOLE)
    set_rule(project, kind=Kind.CALLS, days=8, env="", by=CONSOLE)
    set_rule(project, kind=Kind.ROLLUPS, days=9, env="", by=CONSOLE)
    with monkeypatch.context() as patched:
        days_later(patched, 40)
        carried_out(project)
    assert not Call.objects.exists()
    assert not RollupMinute.objects.exists()
    assert now(reader) == before


def test_removing_a_session_does_not_change_counters(reader, before):
    remove_session(Session.objects.get(session_id="s-2"), typed="s-2", by=CONSOLE)
    run_waiting_removals()
    assert Call.objects.count() == 6
    assert now(reader) == before


def test_an_erasure_does_not_change_counters(project, reader, before, monkeypatch):
    monkeypatch.setattr(erasing, "SETTLES_AFTER", timedelta(0))
    assert erased(project, "agent", "bot").status == "done"
    assert not Call.objects.exists()
    assert now(reader) == before


def test_a_reclassification_does_not_change_counters(project, reader, before):
    failures = Call.objects.filter(verdict="failure").count()
    unified(project, "*", text=CHECK.replace("otherwise: success", "otherwise: failure"))
    reclassified(project)
    assert Call.objects.filter(verdict="failure").count() > failures
    assert now(reader) == before


def test_deleting_demo_traffic_does_not_change_counters(project, reader, before):
    remove_traffic(project.pk)
    assert not Rollup.objects.exists()
    assert now(reader) == before


def test_a_late_result_counts_its_call_once(agent, reader):
    agent.post_events(an_event("call_allowed", "late", **OF_BOT))
    rolled_up()
    assert scraped(reader).sum("edictum_calls_total") == 0  # the call is still open
    agent.post_events(an_event("call_executed", "late", **OF_BOT))
    assert now(reader)
    agent.post(an_item(None, call_id="late", output="Error: no", tool_success=True))
    assert now(reader)
    scrape = scraped(reader)
    assert scrape.sum("edictum_calls_total") == 1
    assert scrape.sum("edictum_verdicts_total", verdict="failure") == 1


def test_a_corrected_verdict_is_offset_by_the_next_call(agent, reader):
    """The agent's verdict arrives first, and the check's verdict shortly after."""
    for number in range(3):
        call = f"c-late-{number}"
        agent.post_events(an_event("call_executed", call, tool_success=True, **OF_BOT))
        rolled_up()
        agent.post(an_item(None, call_id=call, output="Error: no", tool_success=True))
        rolled_up()
    scrape = scraped(reader)
    assert scrape.sum("edictum_calls_total") == 3
    assert scrape.sum("edictum_verdicts_total", verdict="failure") == 3
    assert scrape.sum("edictum_verdicts_total", verdict="success") <= 1


def test_calls_are_counted_once_they_are_rolled_up(agent, reader):
    agent.post(an_item())
    assert scraped(reader).sum("edictum_calls_total") == 0
    rolled_up()
    assert scraped(reader).sum("edictum_calls_total") == 1


def test_the_busiest_tools_get_their_own_label_and_no_counter_decreases(agent, reader, monkeypatch):
    for module in (totals, choosing()):
        monkeypatch.setattr(module, "NAMED", 2)
    agent.post(*(an_item(tool_name=name) for name in ("a", "b")))
    rolled_up()
    agent.post(*(an_item(tool_name="c") for _ in range(5)), an_item(tool_name="b"))
    first = now(reader)
    assert tools_of(reader) == {"a", "b", "other"}
    choose_named_tools()
    assert tools_of(reader) == {"b", "other"}  # c has its own label but no calls since
    agent.post(an_item(tool_name="c"), an_item(tool_name="a"))
    second = now(reader)
    assert tools_of(reader) == {"b", "c", "other"}
    assert all(second[key] >= number for key, number in first.items() if key in second)
    scrape = scraped(reader)
    assert scrape.sum("edictum_calls_total", tool="c") == 1
    assert scrape.sum("edictum_calls_total", tool="other") == 6
    names = Tool.objects.filter(pk__in=NamedTool.objects.values("tool"))
    assert set(names.values_list("name", flat=True)) == {"b", "c"}


def choosing():
    from outcomes.figures.commands import totals as commands  # noqa: PLC0415 - two of one name

    return commands


def tools_of(reader):
    return scraped(reader).labels("edictum_calls_total", "tool")
