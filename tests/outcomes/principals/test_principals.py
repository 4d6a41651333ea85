"""Principals: which of them have failed and denied calls, by tool."""

import html
import re

from tests.outcomes.pages import Pages, a_denied_item, an_item
from tests.outcomes.posting import Agent
from tests.outcomes.waiting_jobs import run_waiting_indexes, scanned

NORD = {"user_id": "tenant-nord", "role": "admin"}
SOUTH = {"service_id": "south"}


def posted(agent: Agent) -> None:
    agent.post(
        an_item(tool_name="crm", principal=SOUTH),
        an_item(tool_name="crm", principal=NORD),
        an_item(tool_name="crm", principal=NORD, type="failure", error="no", output=None),
        an_item(tool_name="crm", principal=NORD, type="failure", error="no", output=None),
        a_denied_item(tool_name="mail", principal=NORD),
        an_item(tool_name="crm"),
    )
    run_waiting_indexes()


def test_the_principal_with_the_most_problems_is_first(pages: Pages, agent: Agent):
    posted(agent)
    text = pages.text("principals/")
    assert "tenant-nord: 2 of 4 calls failed" in text
    assert text.index("tenant-nord 4") < text.index("south 1")
    assert (
        pages.get("principals/", format="csv")
        .getvalue()
        .decode()
        .splitlines()[1]
        .startswith("tenant-nord,4,1,2,1,")
    )


def test_the_principal_page_lists_its_calls_by_tool(pages: Pages, agent: Agent):
    posted(agent)
    text = pages.text("principals/tenant-nord/")
    assert "tenant-nord: 2 of 3 crm calls failed" in text
    assert "mail 1" in text
    assert pages.get("principals/nobody/").status_code == 404


def test_a_rate_has_its_unchecked_calls_and_its_doubt(pages: Pages, agent: Agent, project):
    unreported = {"type": "execution_result", "call_id": "u-1", "tool_name": "crm"}
    agent.post(
        *(an_item(tool_name="crm", principal=NORD, output={"ok": False}) for _ in range(4)),
        unreported | {"agent_id": "bot", "tool_success": True, "principal": SOUTH},
    )
    run_waiting_indexes()
    scanned(project)
    text = pages.text("principals/")
    assert re.search(r"tenant-nord 4 0.* of 4 4 in doubt", text)
    assert "of 1 none checked" in text
    assert "4 in doubt" in pages.text("principals/tenant-nord/")


def test_figures_link_to_the_calls_they_count(pages: Pages, agent: Agent):
    posted(agent)
    body = pages.get("principals/tenant-nord/").content.decode()
    links = [html.unescape(url) for url in re.findall(r'href="([^"]*show=failures[^"]*)"', body)]
    rows = re.findall(r'<tr data-row="(\d+)"', pages.client.get(links[0]).content.decode())
    assert len(rows) == 2


def test_calls_can_be_filtered_by_principal(pages: Pages, agent: Agent):
    posted(agent)
    assert "tenant-nord 4 south 1" in pages.text("live/principal-options/")
    assert len(pages.rows("calls/", q="principal:tenant-nord")) == 4
    assert "tenant-nord" in pages.text("calls/")


def test_a_secret_is_never_a_principal(pages: Pages, agent: Agent):
    agent.post(an_item(principal={"user_id": "sk-abcdefghijklmnopqrstuvwx0123456789"}))
    run_waiting_indexes()
    assert "abcdefghijkl" not in pages.text("principals/")
