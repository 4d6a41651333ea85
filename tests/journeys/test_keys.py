"""A key is made, used and revoked from the pages."""

import time

from playwright.sync_api import expect

from tests.items import an_outcome


def test_a_key_is_shown_once_works_and_ends_when_it_is_revoked(console, admin):
    admin.goto(f"{console.url}/p/default/settings/keys/new/")
    admin.get_by_role("textbox", name="Name").fill("the journey's agent")
    admin.locator("main").get_by_label("Environment").fill("staging")
    admin.get_by_role("button", name="Make key").click()
    key = admin.locator("#new-key").inner_text()
    assert key.startswith("edk_staging_")
    assert console.post(an_outcome("from-staging"), key=key)["accepted"] == 1
    assert console.settled("outcomes/from-staging")["environment"] == "staging"

    admin.get_by_role("link", name="I have copied it").click()
    row = admin.get_by_role("row").filter(has_text="the journey's agent")
    expect(row).to_be_visible()
    assert key not in admin.content()
    row.get_by_role("link", name="Revoke").click()
    admin.get_by_role("button", name="Revoke the journey's agent").click()
    expect(admin.get_by_role("row").filter(has_text="the journey's agent")).to_contain_text(
        "evoked"
    )
    until = time.monotonic() + 5
    while console.ask("POST", "outcomes", b'{"outcomes": []}', key)[0] != 401:
        assert time.monotonic() < until, "the key still works"
        time.sleep(0.1)
