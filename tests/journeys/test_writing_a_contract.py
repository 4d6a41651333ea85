"""Writing a contract in the browser: errors are marked in place, drafts survive a closed tab, and
concurrent editors lose nothing."""

import json
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.governance.contracts.documents import document, pre
from tests.items import an_outcome
from tests.journeys.test_stream_processes import until

LARGE = "{args.amount: {gt: 50}}"
HAS_WORDS = "words => ace.edit(document.querySelector('.editor')).getValue().includes(words)"
WAVE = """
() => {
  const words = getComputedStyle(document.querySelector(".editor .words-error"));
  const line = getComputedStyle(document.querySelector(".editor .ace_active-line"));
  return {
    is_drawn: words.backgroundImage.split("linear-gradient").length === 3,
    is_above_the_line: Number(words.zIndex) > (Number(line.zIndex) || 0),
  };
}
"""


@pytest.fixture
def name() -> str:
    return f"billing-{uuid4().hex[:8]}"


@pytest.fixture
def text(name: str) -> str:
    rules = (pre(LARGE, rule_id="large"), pre(LARGE, rule_id="larger"))
    return document(*rules).replace("name: d", f"name: {name}") + "\n"


@pytest.fixture
def at(console, name: str, text: str) -> str:
    status, answer = console.ask("POST", "contracts", json.dumps({"yaml": text}).encode())
    assert status == 201, answer
    return f"{console.url}/p/default/contracts/b/{name}/edit/"


def write(page: Page, old: str, new: str) -> None:
    """Replace text in the editor with key presses."""
    expect(page.locator(".editor.ace_editor")).to_be_visible()
    until(lambda: page.evaluate(HAS_WORDS, old))
    page.get_by_role("textbox", name="Contract YAML").or_(
        page.locator(".editor .ace_text-input")
    ).first.focus()
    place = page.evaluate(
        """(words) => {
          const session = ace.edit(document.querySelector(".editor")).session;
          const before = session.getValue().split(words)[0].split("\\n");
          return [before.length, before.at(-1).length];
        }""",
        old,
    )
    page.evaluate("(at) => ace.edit(document.querySelector('.editor')).gotoLine(...at)", place)
    for _ in old:
        page.keyboard.press("Delete")
    page.keyboard.insert_text(new)


def name_in(page: Page) -> str:
    """Contract name in the editor, once there is one."""
    editor = page.locator(".editor.ace_editor")
    expect(editor.locator(".ace_content")).to_contain_text("name: ")
    name: str = editor.evaluate("(box) => /name: (.+)/.exec(ace.edit(box).getValue())[1]")
    return name


def saved_text(console, name: str) -> str:
    text: str = console.ask("GET", f"contracts/{name}")[1]["yaml"]
    return text


def test_a_mistake_is_marked_in_place_fixed_and_the_contract_saved(console, admin, at, name):
    admin.goto(at)
    heading = admin.get_by_role("heading", level=1)
    expect(heading).to_contain_text(f"{name} v1: no changes", use_inner_text=True)
    write(admin, "action", "acton")
    expect(heading).to_contain_text("1 error to fix", use_inner_text=True)
    problem = admin.locator("[data-problem]").filter(has_text="Unknown key acton")
    expect(problem).to_have_count(1)
    expect(admin.locator(".editor .words-error").first).to_be_visible()
    expect(admin.locator(".editor .gutter-error")).to_contain_text("7")
    assert admin.evaluate(WAVE) == {"is_drawn": True, "is_above_the_line": True}
    expect(admin.get_by_role("button", name="Save as v2")).to_be_disabled()

    problem.get_by_role("button", name="Fix").click()
    expect(heading).to_contain_text("no changes", use_inner_text=True)
    expect(admin.get_by_role("button", name="Save as v2")).to_be_disabled()
    write(admin, "gt: 50", "gt: 75")
    expect(heading).to_contain_text("ready to save", use_inner_text=True)
    expect(admin.locator("#checked")).to_contain_text("Changes since v1")
    expect(admin.locator("#checked")).to_contain_text("75")
    admin.get_by_role("link", name="Diff to v1").click()
    expect(heading).to_contain_text(f"{name} v1 → draft: 1 changed line")
    expect(admin.get_by_role("group", name="Difference between")).to_contain_text("gt: 75")
    admin.go_back()  # the browser must restore the saved draft, not the form
    admin.get_by_label("Change message").fill("Fewer questions.")
    admin.get_by_role("button", name="Save as v2").click()
    expect(admin.get_by_text(f"{name} v2 saved.")).to_be_visible()
    assert "gt: 75" in saved_text(console, name)


def test_a_new_contract_from_a_template_can_be_broken_fixed_and_saved(console, admin):
    admin.goto(f"{console.url}/p/default/contracts/new/")
    admin.get_by_role("button", name="Use template").first.click()
    heading = admin.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Draft of a new contract:", use_inner_text=True)
    name = f"fleet-{uuid4().hex[:8]}"
    write(admin, f"name: {name_in(admin)}", f"nme: {name}")
    expect(admin.locator("#checked")).to_contain_text("Unknown key nme")
    admin.locator("[data-problem]").get_by_role("button", name="Fix").first.click()
    expect(heading).to_contain_text("ready to save", use_inner_text=True)
    admin.get_by_role("button", name="Save as v1").click()
    expect(admin.get_by_text(f"{name} v1 saved.")).to_be_visible()
    assert f"name: {name}" in saved_text(console, name)


def test_a_draft_survives_a_closed_tab_and_is_not_overwritten_by_another_tab(
    console, open_page, signed_in, at
):
    first = open_page(storage_state=signed_in)
    first.goto(at)
    second = first.context.new_page()
    second.goto(at)
    write(first, "gt: 50", "gt: 61")
    expect(first.locator("#draft-kept")).to_contain_text("Draft saved")
    first.close()

    write(second, "gt: 50", "gt: 62")
    expect(second.locator("#draft-elsewhere")).to_contain_text("changed in another tab")
    expect(second.locator("#draft-kept")).to_have_text("Not saved")
    second.get_by_role("link", name="Load the other version").click()
    expect(second.locator(".editor")).to_contain_text("gt: 61")


def test_concurrent_editors_see_both_versions_and_lose_no_changes(console, admin, at, name, text):
    admin.goto(at)
    write(admin, "gt: 50", "gt: 61")
    expect(admin.locator("#draft-kept")).to_contain_text("Draft saved")
    theirs = json.dumps({"yaml": text + "# theirs\n", "message": "A note."}).encode()
    assert console.ask("POST", "contracts", theirs)[0] == 201
    write(admin, "gt: 61", "gt: 62")
    expect(admin.get_by_text("v2 was saved after you started from v1.")).to_be_visible()

    admin.get_by_role("button", name="Save as v2").click()
    heading = admin.get_by_role("heading", level=1)
    expect(heading).to_contain_text(f"{name} v2 was saved by", use_inner_text=True)
    expect(admin.get_by_role("main")).to_contain_text("A note.")
    admin.get_by_role("button", name="Merge v2 into my draft").click()
    expect(heading).to_contain_text(f"Draft of {name} from v2:", use_inner_text=True)
    admin.get_by_role("button", name="Save as v3").click()
    expect(admin.get_by_text(f"{name} v3 saved.")).to_be_visible()
    both = saved_text(console, name)
    assert "gt: 62" in both
    assert both.endswith("# theirs\n")


def test_completions_come_from_recorded_calls(console, admin, at, name):
    tool = f"pay_{name.replace('-', '_')}"
    console.post(an_outcome(f"{name}-1", tool_name=tool, tool_args={"iban": "x"}))
    console.settled(f"outcomes/{name}-1")
    admin.goto(at)
    admin.locator(".editor .ace_content").click()
    admin.keyboard.press("Control+End")
    # A person's typing speed, as the list follows each letter.
    admin.keyboard.type("  - id: paid", delay=20)
    admin.keyboard.press("Enter")
    admin.keyboard.type(f"tool: {tool[:-1]}", delay=20)
    offered = admin.locator(".ace_autocomplete .ace_line")
    expect(offered.first).to_contain_text(tool)
    admin.keyboard.press("Tab")
    admin.keyboard.press("Tab")
    expect(admin.locator(".editor")).to_contain_text(f"tool: {tool}")


RULE = "rules:\n  - id: x\n    type: pre\n    "
# Text before the cursor and all its completions. For tools and roles, one of several.
OFFERED: dict[str, list[str] | str] = {
    "defaults: {mode: ": ["enforce", "observe"],
    "tools:\n  pay: {side_effect: ": ["pure", "read", "write", "irreversible"],
    RULE + "limits: {": ["max_tool_calls: ", "max_attempts: ", "max_calls_per_tool: "],
    RULE + "then: {message: 'a: {b', action: ": ["block", "ask", "warn", "redact"],
    RULE + "when: {not: {args.x: {exists: ": ["true", "false"],
    RULE + "when: {args.x: {in: [a, ": [],
    RULE + "# then: {": [],
    RULE + "when: {principal.role: {in: [clerk, ": "role",
    RULE + "when:\n      principal.role:\n        in:\n          - ": "role",
    RULE + "tools: [pay, ": "tool",
    RULE + "limits: {max_calls_per_tool: {": "tool: ",
}
COMPLETED = """
(before) => new Promise((answer) => {
  const editor = ace.edit(document.querySelector(".editor"));
  editor.setValue(before + "\\n", -1);
  const lines = before.split("\\n");
  const at = { row: lines.length - 1, column: lines.at(-1).length };
  const told = (_, words) => answer(words.map((each) => each.value));
  editor.completers[0].getCompletions(editor, editor.session, at, "", told);
})
"""


def test_completions_do_not_depend_on_yaml_style(console, admin, at, name):
    named = {"tool": f"tool_{name}", "role": f"role_{name}"}
    principal = {"role": named["role"]}
    console.post(an_outcome(f"{name}-1", tool_name=named["tool"], principal=principal))
    console.settled(f"outcomes/{name}-1")
    admin.goto(at)
    expect(admin.locator(".editor.ace_editor")).to_be_visible()
    assert until(lambda: admin.evaluate(COMPLETED, "kind: "))  # the completions are loaded
    for before, offered in OFFERED.items():
        words = admin.evaluate(COMPLETED, before)
        if isinstance(offered, list):
            assert words == offered, before
        else:
            kind = offered.removesuffix(": ")
            assert offered.replace(kind, named[kind]) in words, before
            assert not {"equals", "id: ", "all"} & set(words), before


def test_a_warning_does_not_hide_an_error_on_the_same_line(admin, at):
    admin.goto(at)
    write(admin, "action: block", "acton: block, timeout: 5")
    expect(admin.locator("#checked")).to_contain_text("timeout has no effect")
    gutter = admin.locator(".editor .ace_gutter-cell")
    expect(gutter.and_(admin.locator(".gutter-error"))).to_have_count(1)
    expect(gutter.and_(admin.locator(".gutter-error.gutter-warning"))).to_have_count(0)


def test_the_outline_fits_a_narrow_page(admin, at):
    admin.set_viewport_size({"width": 390, "height": 800})
    admin.goto(at)
    admin.get_by_text("Outline").click()
    expect(admin.get_by_role("navigation", name="Rules")).to_contain_text("larger")
    assert admin.evaluate("document.documentElement.scrollWidth") == 390


def test_the_editor_can_be_left_by_keyboard(admin, at):
    admin.goto(at)
    editor = admin.locator(".editor .ace_text-input")
    editor.focus()
    admin.keyboard.type(" ")
    admin.keyboard.press("Escape")
    expect(editor).not_to_be_focused()
    for _ in range(6):
        admin.keyboard.press("Tab")
        if admin.get_by_label("Change message").evaluate("e => e === document.activeElement"):
            break
    expect(admin.get_by_label("Change message")).to_be_focused()


def test_without_javascript_the_contract_is_checked_when_saved(
    console, open_page, signed_in, at, name, text
):
    # A separate page, as the browser console logs the expected 422 response.
    page = open_page(storage_state=signed_in, java_script_enabled=False).context.new_page()
    page.goto(at)
    area = page.get_by_label("Contract YAML")
    area.fill(text.replace("action", "acton"))
    page.get_by_role("button", name="Save as v2").click()
    expect(page.locator("#checked")).to_contain_text("Unknown key acton")
    area.fill(text + "# by hand\n")
    page.get_by_role("button", name="Save as v2").click()
    expect(page.get_by_text(f"{name} v2 saved.")).to_be_visible()
    assert saved_text(console, name) == text + "# by hand\n"
