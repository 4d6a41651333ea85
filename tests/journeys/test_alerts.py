"""An alert is listed until a person dismisses it, and again when it recurs."""

import pytest
from playwright.sync_api import expect

from tests.journeys.console import a_session

pytestmark = pytest.mark.both_databases


def test_a_dismissed_alert_reopens_when_it_happens_again(console, signed_in, open_page):
    key = f"s:{a_session()}:attempts"
    assert console.ask("POST", f"sessions/{key}/increment", b'{"amount": 2}')[0] == 200
    assert console.ask("DELETE", f"sessions/{key}")[0] == 403

    page = open_page(storage_state=signed_in, java_script_enabled=False)
    page.goto(f"{console.url}/p/default/alerts/")
    listed = page.locator("main li", has_text=key)
    expect(listed).to_contain_text("An agent tried to lower the protected counter")
    expect(listed).to_contain_text("It tried to remove it")
    listed.get_by_role("button", name="Dismiss").click()
    expect(listed).to_have_count(0)
    page.get_by_role("link", name="Resolved").click()
    expect(listed).to_contain_text("Dismissed by admin@example.test")
    expect(listed.get_by_role("button")).to_have_count(0)

    assert console.ask("PUT", f"sessions/{key}", b'{"value": "1"}')[0] == 403
    page.goto(f"{console.url}/p/default/alerts/")
    expect(listed).to_contain_text("It tried to set it back to 1")
