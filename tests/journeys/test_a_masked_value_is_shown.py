"""A masked value can be revealed in place, in the drawer and on the call page."""

from playwright.sync_api import Page, expect

from tests.items import an_outcome
from tests.journeys.console import Console, a_session

PASSWORD = "correct-horse-battery"


def a_call(console: Console) -> tuple[str, str]:
    session = a_session()
    arguments = {"user": "ada", "password": PASSWORD}
    console.post(
        an_outcome(
            f"{session}-1", session_id=session, tool_name="login", tool_args=arguments,
            output=f"password={PASSWORD} is wrong",
        )
    )  # fmt: skip
    console.settled(f"agent-sessions/{session}?env=production")
    return session, f"{session}-1"


def test_one_value_is_unmasked_in_the_drawer_and_the_others_stay_masked(
    console: Console, admin: Page
):
    session, call = a_call(console)
    admin.goto(f"{console.url}/p/default/sessions/{session}/?environment=production")
    admin.locator(f"#calls a.row-link[href*='{call}/']").press("Enter")
    drawer = admin.locator("#drawer")
    expect(drawer.get_by_role("heading", name="Call 1")).to_be_focused()
    expect(drawer).not_to_contain_text(PASSWORD)
    arguments = drawer.get_by_role("region", name="Arguments")
    arguments.get_by_role("button", name="Show /tool_args/password").click()
    expect(arguments).to_contain_text(PASSWORD)
    expect(drawer.get_by_role("region", name="Output")).not_to_contain_text(PASSWORD)
    admin.goto(f"{console.url}/p/default/settings/audit/")
    expect(admin.locator("main")).to_contain_text("value opened")


def test_a_masked_text_can_be_unmasked_on_the_call_page(console: Console, admin: Page):
    _, call = a_call(console)
    admin.goto(f"{console.url}/p/default/calls/{call}/?environment=production")
    output = admin.get_by_role("region", name="Output")
    expect(output).to_contain_text("password=[masked] is wrong")
    output.get_by_role("button", name="Show /output").click()
    expect(output).to_contain_text(f"password={PASSWORD} is wrong")
    expect(admin.get_by_role("region", name="Arguments")).not_to_contain_text(PASSWORD)
