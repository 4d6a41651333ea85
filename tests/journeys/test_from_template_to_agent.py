"""A new user's first change, all the way: from a template over a mistake, a test and a backtest
to an environment whose connected agent denies the next call, and back."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from uuid import uuid4

from playwright.sync_api import Page, expect

from tests.items import an_outcome
from tests.journeys.console import Console
from tests.journeys.streams import PATIENCE, new_key
from tests.journeys.test_deploying import begin_to_deploy, heading
from tests.journeys.test_writing_a_contract import write
from tests.sdks.environments import ROOT, python_of

ENVIRONMENT = "staging"
DESTROYS = "shell rm -rf /"
Calls = Callable[[str], str]


@contextmanager
def an_agent(console: Console, name: str) -> Iterator[Calls]:
    """What becomes of a call of a connected agent of the real SDK."""
    told = {
        "CONSOLE_URL": console.url,
        "CONSOLE_KEY": new_key(console, env=ENVIRONMENT),
        "AGENT": name,
        "BUNDLE": name,
        "ENVIRONMENT": ENVIRONMENT,
        "PATH": os.environ["PATH"],
    }
    program = ROOT / "tests" / "sdks" / "programs" / "line_by_line.py"
    with subprocess.Popen(
        [str(python_of("0.19.0")), str(program)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=told,
        text=True,
    ) as process:
        said, answers = process.stdin, process.stdout
        assert said is not None
        assert answers is not None

        def call(line: str) -> str:
            said.write(f"{line}\n")
            said.flush()
            return answers.readline().strip()

        yield call
        said.close()
        assert process.wait(PATIENCE) == 0


def becomes(call: Calls, begins: str) -> str:
    """The answer once it begins so: an agent takes a version between two of its calls."""
    end = time.monotonic() + PATIENCE
    while not (answer := call(DESTROYS)).startswith(begins) and time.monotonic() < end:
        time.sleep(0.5)
    assert answer.startswith(begins), answer
    return answer


def test_from_a_template_to_an_agent_that_denies_and_back(console: Console, admin: Page) -> None:
    name = f"devops-{uuid4().hex[:8]}"
    title = admin.get_by_role("heading", level=1)

    # From a template, under a name of its own: the first version, live in staging.
    admin.goto(f"{console.url}/p/default/contracts/new/")
    admin.get_by_role("listitem").filter(has_text="devops").or_(
        admin.locator(".templates li").filter(has_text="DevOps")
    ).first.get_by_role("button", name="Begin with it").click()
    expect(title).to_contain_text("It can be saved.", use_inner_text=True)
    write(admin, "name: devops-agent", f"name: {name}")
    expect(admin.locator("#draft-kept")).to_contain_text("Draft kept")
    admin.get_by_role("button", name="Save as v1").click()
    expect(admin.get_by_text(f"{name} v1 is saved.")).to_be_visible()

    # A test that lives with it: what must stay allowed.
    admin.goto(f"{console.url}/p/default/contracts/b/{name}/playground/")
    admin.get_by_label("Tool", exact=True).fill("shell")
    admin.get_by_label("Arguments, as JSON").fill('{"command": "ls"}')
    admin.get_by_role("button", name="Try it").click()
    expect(admin.locator("#tried")).to_contain_text("Allowed: no rule stands against it.")
    admin.get_by_role("button", name="Make it a test…").click()
    admin.get_by_label("Name").fill("to look around is allowed")
    admin.get_by_label("It must be").select_option("allowed")
    admin.get_by_role("button", name="Keep the test").click()
    expect(title).to_contain_text("The test passes")

    begin_to_deploy(admin, console, name, ENVIRONMENT)
    admin.get_by_role("button", name=f"Deploy v1 to {ENVIRONMENT}").click()
    heading(admin, f"{name} v1 is live in {ENVIRONMENT}.")

    with an_agent(console, name) as call:
        assert call(DESTROYS) == "ran"

        # The tool is another one here; a mistake on the way is marked, and fixed.
        admin.goto(f"{console.url}/p/default/contracts/b/{name}/edit/")
        write(admin, "tool: run_command", "tol: run_command")
        expect(title).to_contain_text("keeps it from being saved.", use_inner_text=True)
        expect(admin.locator(".editor .words-error").first).to_be_visible()
        write(admin, "tol: run_command", "tool: shell")
        expect(title).to_contain_text("It can be saved.", use_inner_text=True)
        expect(admin.locator("#cases-panel")).to_contain_text("passes")

        # What would it have done to calls that happened?
        console.post(
            *(
                an_outcome(
                    f"{name}-{number}",
                    agent_id=name,
                    tool_name="shell",
                    tool_args={"command": command},
                )
                for number, command in enumerate(("ls", "rm -rf /srv", "ls"))
            )
        )
        console.settled(f"outcomes/{name}-2")
        expect(admin.locator("#draft-kept")).to_contain_text("Draft kept")
        panel = admin.get_by_role("region", name="Backtest")
        panel.get_by_role("button", name="Run this text").click()
        expect(title).to_contain_text("would be newly denied", timeout=30_000)

        # Saved, deployed, and denied at the next call; rolled back, it is allowed again.
        admin.goto(f"{console.url}/p/default/contracts/b/{name}/edit/")
        admin.get_by_role("button", name="Save as v2").click()
        expect(admin.get_by_text(f"{name} v2 is saved.")).to_be_visible()
        begin_to_deploy(admin, console, name, ENVIRONMENT)
        heading(admin, f"Deploy {name} v2 to {ENVIRONMENT}?")
        admin.get_by_role("button", name=f"Deploy v2 to {ENVIRONMENT}").click()
        heading(admin, f"{name} v2 is live in {ENVIRONMENT}.")
        assert "destroys things" in becomes(call, "denied")
        # The SDK sends its events together, every few seconds.
        row = admin.get_by_role("row").filter(has_text=name)
        expect(row).to_contain_text("taken", timeout=20_000)
        admin.get_by_role("link", name="Roll back to v1").click()
        admin.get_by_role("button", name="Roll back to v1").click()
        heading(admin, f"{name} v1 is live in {ENVIRONMENT}.")
        becomes(call, "ran")
