"""Pages of one session or call link back with the chosen time range, environment and agent."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest

from outcomes.core.scope import detail_parameters, handed_on
from tests.outcomes.pages import a_denied_item, an_item

CHOSEN = {"range": "7d", "environment": "production", "agent": "bot"}
AS_QUERY = {name: [value] for name, value in CHOSEN.items()}


@pytest.fixture
def _seen(agent):
    agent.post(
        an_item(call_id="ran", agent_id="bot", tool_name="look_up"),
        *(
            a_denied_item(call_id=f"denied-{n}", agent_id="bot", tool_args={}, decision_name="rule")
            for n in range(3)
        ),
    )


def links(page, ends: str) -> set[str]:
    matches = (html.unescape(url) for url in re.findall(r'href="([^"]*)"', page.content.decode()))
    return {url for url in matches if urlsplit(url).path.endswith(ends)}


def queries(page, ends: str) -> list[dict[str, list[str]]]:
    return [parse_qs(urlsplit(url).query) for url in links(page, ends)]


@pytest.mark.usefixtures("_seen")
@pytest.mark.parametrize("path", ["overview/", "sessions/", "denials/", "calls/"])
def test_pages_of_a_session_or_call_carry_the_filters_of_its_list(pages, path):
    for url in links(pages.get(path, **CHOSEN), "/s-1/") | links(
        pages.get(path, **CHOSEN), "/denied-2/"
    ):
        page = pages.client.get(url)
        assert queries(page, "/tools/") == [AS_QUERY], url
        assert AS_QUERY in queries(page, "/sessions/"), url


@pytest.mark.usefixtures("_seen")
def test_links_from_a_session_carry_the_chosen_scope(pages):
    (url,) = links(pages.get("sessions/", **CHOSEN), "/s-1/")
    session = pages.client.get(url)
    (call,) = links(session, "/ran/")
    assert queries(pages.client.get(call), "/tools/look_up/") == [AS_QUERY]
    compare = pages.client.get(next(iter(links(session, "/compare-sessions/"))))
    assert queries(compare, "/tools/") == [AS_QUERY]
    closer = pages.get("sessions/s-1/", environment="production", first="1", last="20")
    assert queries(closer, "/tools/") == [{}]  # a range of calls is not a time range


@pytest.mark.usefixtures("_seen")
def test_the_environment_of_a_session_is_not_treated_as_a_chosen_filter(pages):
    (url,) = links(pages.get("sessions/", range="7d"), "/s-1/")
    session = pages.client.get(url)
    assert queries(session, "/tools/") == [{"range": ["7d"]}]


def test_the_url_of_a_detail_page_carries_filters_under_other_names():
    query = {"range": "7d", "environment": "production", "chosen-agent": "bot", "first": "3"}
    assert handed_on(None, query) == {"range": "7d", "agent": "bot"}
    assert detail_parameters(None, query) == {"range": "7d", "chosen-agent": "bot"}
