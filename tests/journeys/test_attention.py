"""What an agent tries is listed until a person dismisses it, and again when it tries again."""

from playwright.sync_api import expect

from tests.journeys.console import a_session


def test_what_an_agent_tries_needs_attention_until_it_is_dismissed(console, signed_in, open_page):
    key = f"s:{a_session()}:attempts"
    assert console.ask("POST", f"sessions/{key}/increment", b'{"amount": 2}')[0] == 200
    assert console.ask("DELETE", f"sessions/{key}")[0] == 403

    page = open_page(storage_state=signed_in, java_script_enabled=False)
    page.goto(f"{console.url}/p/default/attention/")
    listed = page.locator("section", has_text="Open").locator("li", has_text=key)
    expect(listed).to_contain_text("An agent tried to lower a protected counter")
    expect(listed).to_contain_text("An agent tried to remove it.")
    listed.get_by_role("button", name="Dismiss").click()
    expect(page.locator("li", has_text=key)).to_contain_text("Dismissed by admin@example.test")
    expect(page.locator("li", has_text=key).get_by_role("button")).to_have_count(0)

    assert console.ask("PUT", f"sessions/{key}", b'{"value": "1"}')[0] == 403
    page.reload()
    expect(page.locator("li", has_text=key)).to_have_count(2)
    expect(listed.first).to_contain_text("An agent tried to set it back to 1.")
