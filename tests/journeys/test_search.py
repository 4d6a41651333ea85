"""Searching arguments and outputs: chips, highlighted matches, differences and the palette."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.items import an_outcome
from tests.journeys.console import Console, a_session

LONG = "the gateway answered late and said nothing else of use " * 6


def posted(console: Console) -> str:
    session = a_session()
    word = session.replace("-", "")
    fields = {"session_id": session, "agent_id": "crm-bot", "tool_name": "crm_lookup"}
    console.post(
        *(
            an_outcome(
                f"{session}-{n}",
                tool_args={"region": "eu-west" if n < 6 else "us-east", "account": f"A-{n}"},
                output={"note": LONG, "status": 503 if n < 6 else 200, "error": f"no {word} here"},
                principal={"user_id": "tenant-nord"},
                **fields,
            )
            for n in range(14)
        )
    )
    console.settled(f"agent-sessions/{session}?env=production")
    console.indexed(word, 14)
    return word


def searched(page: Page, console: Console, query: str) -> Locator:
    """Rows of the search result."""
    rows = page.locator("#calls tbody tr")
    page.goto(f"{console.url}/p/default/calls/")
    field = page.get_by_role("searchbox", name="Search calls")
    field.fill(query)
    field.press("Enter")
    expect(page).to_have_url(re.compile(r"[?&]q="))
    expect(rows.first).to_be_visible()
    return rows


@pytest.mark.both_databases
def test_a_search_for_a_word_in_outputs_leads_to_its_calls_and_what_differs(
    console: Console, admin: Page
):
    word = posted(console)
    rows = searched(admin, console, f"tool:crm_lookup {word}")
    expect(rows).to_have_count(14)
    admin.get_by_role("searchbox", name="Search calls").fill(f"{word} output.status:>=500")
    admin.get_by_role("button", name="Search", exact=True).click()
    expect(rows).to_have_count(6)
    expect(admin.get_by_role("link", name="Remove tool:crm_lookup")).to_be_visible()
    admin.get_by_role("link", name="What differs").click()
    card = admin.locator("#differs")
    expect(card).to_contain_text("6 calls here vs")
    expect(card.get_by_role("row", name="args.region")).to_contain_text("100 % 6 of 6")
    admin.get_by_role("link", name="Remove output.status:>=500").click()
    expect(rows).to_have_count(14)


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_a_search_match_is_never_truncated(console: Console, admin: Page, width: int):
    word = posted(console)
    admin.set_viewport_size({"width": width, "height": 800})
    rows = searched(admin, console, f"{word} nothing")
    expect(rows).to_have_count(14)
    marks = rows.first.locator("mark")
    assert marks.count() >= 2
    for mark in marks.all():
        box, row = mark.bounding_box(), rows.first.bounding_box()
        assert box
        assert row
        assert box["width"] > 0
        assert box["x"] + box["width"] <= row["x"] + row["width"]
        clipped = mark.evaluate(
            "mark => [...(function* () { for (let p = mark; p; p = p.parentElement) yield p })()]"
            ".some(p => getComputedStyle(p).textOverflow === 'ellipsis'"
            " && p.scrollWidth > p.clientWidth)"
        )
        assert not clipped


def test_the_palette_matches_the_content_of_calls(console: Console, admin: Page):
    word = posted(console)
    searched(admin, console, word)
    admin.keyboard.press("Control+k")
    admin.get_by_role("combobox", name="Search for").fill(word)
    result = admin.locator("#palette-found")
    expect(result).to_contain_text("In arguments and outputs")
    result.get_by_role("option", name="All matching calls").click()
    expect(admin).to_have_url(re.compile(rf"/calls/\?q={word}"))


def test_a_search_syntax_error_is_explained_next_to_the_field(console: Console, admin: Page):
    admin.goto(f"{console.url}/p/default/calls/?q=output.status:>=abc")
    expect(admin.locator("#query-hint")).to_contain_text("needs a number, not abc")
    expect(admin.get_by_role("searchbox", name="Search calls")).to_have_value("output.status:>=abc")
