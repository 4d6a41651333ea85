"""A success check is written in the browser next to recorded outputs, and then classifies calls.

Each step is kept as pictures, wide and narrow, light and dark, in the folder of the test.
"""

import json
import re
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.items import an_outcome
from tests.journeys.test_a_contract_is_changed import Pictures
from tests.journeys.test_accessibility import findings
from tests.journeys.test_layout_shift import MOST, SIZES, WATCH
from tests.journeys.test_writing_a_contract import name_in, write

SILENT = {"ok": False, "message": "no such customer", "request": 4}
FINE = {"ok": True, "id": 7, "updated": "2026-11-18"}
QUEUED = {"status": "queued", "job": "j-1"}
HEAD = "apiVersion: edictum-site/v1\nkind: SuccessCheck\nmetadata: {{name: {name}}}\n"
TEXT = HEAD + "otherwise: success\nrules: []\n"


@pytest.fixture
def name() -> str:
    return f"crm-{uuid4().hex[:8]}"


@pytest.fixture
def tool(console, name: str) -> str:
    tool = f"{name.replace('-', '_')}_update"
    outputs = [SILENT] * 4 + [FINE] * 9 + [QUEUED] * 2 + ["Error: timed out"]
    calls = (
        an_outcome(f"{name}-{number}", tool_name=tool, output=output, agent_id="billing-bot")
        for number, output in enumerate(outputs)
    )
    console.post(*calls)
    console.settled(f"outcomes/{name}-15")
    return tool


def choose(page: Page, tool: str) -> None:
    field = page.get_by_label("Tools", exact=True)
    field.fill(tool)
    field.press("Enter")
    expect(page.locator("#recorded")).to_contain_text(f"16 newest of {tool}")


def row(page: Page, words: str) -> Locator:
    return page.locator("#recorded li").filter(has_text=words)


def test_a_check_written_from_recorded_outputs_is_bound_and_classifies_the_next_call(
    console, admin, name, tool, tmp_path
):
    pictures = Pictures(tmp_path)
    admin.set_viewport_size({"width": 1280, "height": 900})
    admin.goto(f"{console.url}/p/default/checks/new/")
    pictures.take(admin, "new")
    admin.get_by_role("button", name="Blank check").click()
    heading = admin.get_by_role("heading", level=1)
    # The rest of the heading depends on whether recorded outputs have been checked yet.
    expect(heading).to_contain_text("Draft of a new check: ", use_inner_text=True)
    write(admin, f"name: {name_in(admin)}", f"name: {name}")
    choose(admin, tool)
    expect(admin.locator("#recorded-sentence")).to_have_text(
        "Changes none of the 16 newest outputs."
    )

    # An error is marked on its line and fixed by its button.
    write(admin, "otherwise: default", "otherwise: sucess")
    problem = admin.locator("[data-problem]").filter(has_text="sucess is not a verdict")
    expect(problem).to_have_count(1)
    expect(admin.locator(".editor .gutter-error")).to_have_text("6")
    expect(admin.locator("#recorded-sentence")).to_contain_text("Fix the errors")
    pictures.take(admin, "mistake")
    problem.get_by_role("button", name="Fix").click()
    expect(admin.locator("#recorded-sentence")).to_have_text(
        "Changes 1 of the 16 newest outputs, to success."
    )
    expect(heading).to_have_text(
        "Draft of a new check: changes 1 of the 16 newest outputs, to success", use_inner_text=True
    )

    # An output inserts a draft of its rule and becomes an example.
    silent = row(admin, "ok: false")
    silent.locator("summary").focus()
    admin.keyboard.press("Enter")
    expect(silent.get_by_text("no such customer")).to_be_visible()
    pictures.take(admin, "opened")
    silent.get_by_role("button", name="Add rule").click()
    expect(silent.locator("summary")).to_contain_text("not-ok: result.ok is false")
    expect(silent.locator(".tag")).to_have_text("failure")
    silent.get_by_role("button", name="failure").click()
    expect(admin.locator("#checked")).to_contain_text("1 of 1")
    expect(admin.locator(".editor .gutter-passed")).to_have_count(1)
    queued = row(admin, "queued")
    queued.locator("summary").click()
    queued.get_by_role("button", name="Add rule").click()
    expect(queued.locator(".tag")).to_have_text("unknown")
    admin.get_by_role("button", name=re.compile("^Changed")).click()
    expect(admin.locator("#recorded li")).to_have_count(3)
    expect(admin.locator("#draft-kept")).to_contain_text("Draft saved")
    pictures.take(admin, "written")
    assert list(findings("editor of a check", admin)) == []
    admin.set_viewport_size({"width": 1280, "height": 900})

    admin.get_by_label("Change message").fill("Results that say no.")
    admin.get_by_role("button", name="Save as v1").click()
    expect(admin.get_by_text(f"{name} v1 saved.")).to_be_visible()
    bindings = console.ask("GET", "success-check-bindings")[1]
    lines = [{"tool": tool, "check": name}, *bindings["bindings"]]
    bound = json.dumps({"bindings": lines}).encode()
    assert console.ask("PUT", "success-check-bindings", bound)[0] == 200
    console.post(an_outcome(f"{name}-next", tool_name=tool, output=SILENT))
    answer = console.settled(f"outcomes/{name}-next")
    assert (answer["verdict"], answer["check"], answer["rule"]) == ("failure", name, "not-ok")

    admin.goto(f"{console.url}/p/default/checks/c/{name}/edit/")
    expect(admin.locator("#recorded")).to_contain_text(f"17 newest of {tool}")
    expect(admin.locator("#recorded-sentence")).to_have_text(
        "Changes none of the 17 newest outputs."
    )
    write(admin, "equals: false", "equals: 5")
    expect(admin.locator("#recorded-sentence")).to_have_text(
        "Changes 5 of the 17 newest outputs, all to success."
    )
    expect(admin.locator("#checked")).to_contain_text("Got success instead of failure")
    pictures.take(admin, "changed")
    admin.get_by_role("button", name="Preview impact").click()
    expect(admin).to_have_url(re.compile(r"/checks/backtests/\d+/"))


@pytest.mark.parametrize(
    ("before", "typed", "offered"),
    [
        ("rules:\n  - id: a\n    when:\n      ", "result.mess", "result.message"),
        ("rules:\n  - id: a\n    when: {result.ok: {", "equ", "equals"),
        ("rules:\n  - id: a\n    when: {result: {type: ", "arr", "array"),
        ("rules:\n  - id: a\n    verdict: ", "unk", "unknown"),
        ("rules:\n  - id: a\n    label: ", "pen", "pending"),
        ("examples:\n  - {tool: ", "crm", "crm_"),
        ("examples:\n  - {result: 1, verdict: ", "fai", "failure"),
        ("examples:\n  - {result: 1, ", "verd", "verdict"),
        ("include: [", "htt", "http"),
        ("include:\n  - ", "grap", "graphql"),
        ("", "exam", "examples"),
    ],
)
def test_completions_come_from_the_language_and_the_outputs(
    console, admin, name, tool, before, typed, offered
):
    saved = json.dumps({"yaml": TEXT.format(name=name)}).encode()
    assert console.ask("PUT", f"success-checks/{name}", saved)[0] == 201
    admin.goto(f"{console.url}/p/default/checks/c/{name}/edit/")
    choose(admin, tool)
    write(admin, "rules: []\n", before)
    admin.keyboard.type(typed, delay=30)  # a person's typing speed, as the list follows each letter
    expect(admin.locator(".ace_autocomplete .ace_line").first).to_contain_text(offered)


def test_without_javascript_outputs_can_be_checked_and_inserted(
    console, open_page, signed_in, name, tool
):
    saved = json.dumps({"yaml": TEXT.format(name=name)}).encode()
    assert console.ask("PUT", f"success-checks/{name}", saved)[0] == 201
    page = open_page(storage_state=signed_in, java_script_enabled=False).context.new_page()
    page.goto(f"{console.url}/p/default/checks/c/{name}/edit/")
    page.get_by_role("button", name="Check recorded outputs").click()
    page.get_by_label("Tools", exact=True).fill(tool)
    page.get_by_role("button", name="Show").click()
    silent = row(page, "ok: false")
    silent.locator("summary").click()
    silent.get_by_role("button", name="Add rule").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Added at line")
    page.get_by_role("button", name="Back to the editor").click()
    expect(page.get_by_label("Check YAML")).to_have_value(re.compile("id: not-ok"))
    page.get_by_role("button", name="Save as v2").click()
    expect(page.get_by_text(f"{name} v2 saved.")).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_outputs_loaded_later_cause_no_layout_shift(
    console, signed_in, open_page, name, tool, size
):
    saved = json.dumps({"yaml": TEXT.format(name=name)}).encode()
    assert console.ask("PUT", f"success-checks/{name}", saved)[0] == 201
    width, height = SIZES[size]
    page = open_page(storage_state=signed_in, viewport={"width": width, "height": height})
    page.add_init_script(WATCH)
    page.goto(f"{console.url}/p/default/checks/c/{name}/edit/")
    expect(page.locator("#recorded li").first).to_be_attached()
    page.wait_for_timeout(800)  # anything loaded after the outputs
    moved = page.evaluate("moved")
    assert sum(value for value, _ in moved) <= MOST, moved
