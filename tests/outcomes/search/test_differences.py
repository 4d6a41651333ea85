"""Values that distinguish a group of calls from the other calls in its scope."""

import re

import pytest

from governance.core.wilson import wilson
from outcomes.search.domain.differences import differences
from tests.outcomes.pages import Pages, an_item
from tests.outcomes.posting import Agent
from tests.outcomes.waiting_jobs import run_waiting_indexes

NONE = frozenset[str]()


def calls(number, *features):
    return [frozenset(features)] * number


def test_differences_are_sorted_by_size_with_one_row_for_each_field():
    here = calls(8, ("region", "eu"), ("tool", "a")) + calls(2, ("region", "us"), ("tool", "a"))
    elsewhere = calls(10, ("region", "us"), ("tool", "a")) + calls(10, ("tool", "a"))
    compared = differences(here, elsewhere, NONE)
    (row,) = compared.rows
    assert (row.field, row.value, row.here, row.of_here) == ("region", "eu", 8, 10)
    assert (row.elsewhere, row.of_elsewhere, compared.smaller) == (0, 20, 1)
    assert compared == differences(list(reversed(here)), list(reversed(elsewhere)), NONE)


def test_the_confidence_interval_uses_newcombes_method():
    compared = differences(
        calls(56, ("x", "1")) + calls(14), calls(48, ("x", "1")) + calls(32), NONE
    )
    low, high = compared.rows[0].interval
    # Newcombe 1998, method 10: 56/70 and 48/80.
    assert (round(low, 4), round(high, 4)) == (0.0524, 0.3339)
    assert not compared.rows[0].is_doubtful
    assert wilson(56, 70)[0] > wilson(48, 80)[0]


def test_a_difference_whose_interval_contains_zero_is_doubtful():
    compared = differences(calls(3, ("x", "1")) + calls(3), calls(2, ("x", "1")) + calls(4), NONE)
    assert compared.rows[0].is_doubtful


def test_too_few_calls_are_not_compared():
    compared = differences(calls(4, ("x", "1")), calls(400), NONE)
    assert compared.rows == []
    assert not compared.is_enough


def test_searched_fields_are_excluded():
    compared = differences(calls(9, ("x", "1"), ("y", "1")), calls(9), frozenset({"x"}))
    assert [row.field for row in compared.rows] == ["y"]


def posted(agent: Agent) -> None:
    agent.post(
        *(
            an_item(tool_name="crm", tool_args={"region": "eu"}, output={"status": 503, "wait": 5})
            for _ in range(10)
        ),
        *(
            an_item(tool_name="crm", tool_args={"region": "us"}, output={"status": 200})
            for _ in range(30)
        ),
        *(an_item(tool_name="mail") for _ in range(7)),
    )
    run_waiting_indexes()


def test_the_card_compares_hits_with_the_rest_of_their_tool(pages: Pages, agent: Agent):
    posted(agent)
    query = {"q": "tool:crm output.status:>=500", "differs": 1}
    text = pages.text("calls/", **query)
    assert "10 calls here vs the other 30 calls" in text
    card = pages.get("calls/", **query).content.decode().partition('id="differs"')[2]
    fields = re.findall(r'<a class="row-link mono" href="[^"]*">([^<]*)</a> <code>', card)
    assert fields == ["args.region", "output.wait"]
    assert 'args.region "eu" 100 % 10 of 10 0 % 0 of 30 +100' in text
    assert "Searched fields are not compared." in text


def test_a_row_of_the_card_links_to_a_narrower_search(pages: Pages, agent: Agent):
    posted(agent)
    body = pages.get("calls/", q="tool:crm output.status:>=500", differs=1).content.decode()
    links = re.findall(r'<a class="row-link mono" href="([^"]*)">args.region', body)
    followed = pages.client.get(links[0].replace("&amp;", "&")).content.decode()
    assert len(re.findall(r'<tr data-row="', followed)) == 10


@pytest.mark.parametrize("show", ["failures", "denied"])
def test_a_filtered_list_links_to_the_card(pages: Pages, agent: Agent, show):
    posted(agent)
    assert "What differs" in pages.text("calls/", tool="crm", show=show)
    assert "Too few calls to compare" in pages.text("calls/", tool="crm", show=show, differs=1)
    assert "What differs" not in pages.text("calls/", tool="crm")


def test_failures_of_a_tool_link_to_what_differs(pages: Pages, agent: Agent):
    failure = {"tool_name": "crm", "type": "failure", "error": "no", "output": None}
    agent.post(
        *(an_item(tool_args={"region": "eu"}, **failure) for _ in range(6)),
        *(an_item(tool_name="crm", tool_args={"region": "us"}) for _ in range(6)),
    )
    card = pages.get("live/tool-groups/", of="crm").content.decode()
    (link,) = re.findall(r'href="([^"]*differs=1[^"]*)"', card)
    followed = pages.client.get(link.replace("&amp;", "&")).content.decode()
    assert "6 calls here vs the other 6 calls" in followed
    assert ">args.region</a>" in followed
