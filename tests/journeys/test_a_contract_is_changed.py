"""A contract is changed for a fleet: from a template to agents that run it, and rolled back.

Each step is kept as two pictures, wide and light, narrow and dark, in the folder of the test.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from tests.items import an_outcome
from tests.journeys.agents import a_connected_agent
from tests.journeys.conftest import sign_in
from tests.journeys.console import BEHIND, Console
from tests.journeys.streams import new_key
from tests.journeys.test_stream_processes import until
from tests.journeys.test_writing_a_contract import write

AGENTS = ("oncall-bot", "release-bot", "incident-bot")
DAYS = 5
# Calls of one session: tool, arguments and outcome.
WORK: list[tuple[str, dict[str, Any], Any]] = [
    ("service_status", {"service": "checkout"}, {"up": True, "replicas": 3}),
    ("read_logs", {"service": "checkout", "lines": 200}, "12:01 started\n12:02 ready"),
    ("run_command", {"command": "kubectl get pods"}, "checkout-1 Running"),
    ("run_command", {"command": "kubectl describe pod checkout-1"}, "Status: Running"),
    ("restart_service", {"service": "checkout"}, {"restarted": True}),
    ("run_command", {"command": "kubectl delete pod checkout-1"}, "deleted"),
    ("service_status", {"service": "checkout"}, "Error: connection refused"),
    ("run_command", {"command": "rm -rf /var/cache/checkout"}, None),
    ("deploy_service", {"service": "search", "version": "4.2.0"}, {"deployed": True}),
    ("run_command", {"command": "df -h"}, "/dev/sda1 81%"),
]
DELETES = "kubectl delete namespace search"
DENIED = "This command destroys things."


LOOKS: tuple[tuple[int, Literal["dark", "light"]], ...] = ((390, "dark"), (1280, "light"))


class Pictures:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.pictures = 0

    def take(self, page: Page, what: str) -> None:
        self.pictures += 1
        name = f"{self.pictures:02}-{what}"
        for width, scheme in LOOKS:
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            page.screenshot(
                path=self.folder / f"{name}-{width}.png", full_page=True, animations="disabled"
            )
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.fixture
def pictures(tmp_path: Path) -> Pictures:
    return Pictures(tmp_path)


@pytest.fixture
def name() -> str:
    return f"ops-{uuid4().hex[:6]}"


def a_week_of_work(console: Console, version: dict[str, Any]) -> str:
    """Post sessions of several agents on several days, and return the id of a denied call."""
    items = []
    began = datetime.now(UTC) - timedelta(days=DAYS)
    for day in range(DAYS):
        for agent in AGENTS:
            session = f"{version['name']}-{agent}-{day}"
            for number, (tool, args, output) in enumerate(WORK):
                if (number + day) % 4 == 1 and tool != "run_command":
                    continue
                at = began + timedelta(days=day, hours=1, minutes=3 * number)
                item = an_outcome(
                    f"{session}-{number}",
                    tool_name=tool,
                    tool_args=args,
                    agent_id=agent,
                    session_id=session,
                    environment="staging",
                    timestamp=at.isoformat(),
                    bundle_name=version["name"],
                    policy_version=version["revision_hash"],
                )
                if output is None:
                    item |= {"type": "denied", "reason": "contract", "details": DENIED}
                    item |= {"decision_name": "no-destructive-commands"}
                else:
                    item |= {"output": output, "elapsed_ms": 40 + 7 * number}
                items.append(item)
    console.post(*items, key=new_key(console, env="staging", name="recorded"))
    console.settled(f"agent-sessions/{session}")
    return f"{session}-7"


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_contain_text(words, use_inner_text=True)


def test_a_contract_goes_from_a_template_to_a_fleet_and_is_rolled_back(
    console: Console, open_page: Callable[..., Page], pictures: Pictures, name: str
) -> None:
    page = open_page(viewport={"width": 1280, "height": 900})
    sign_in(page, console.url)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Contracts").click()
    pictures.take(page, "contracts")
    page.get_by_role("link", name="New contract").click()
    heading(page, "New contract")
    pictures.take(page, "new-contract")

    template = page.get_by_role("listitem").filter(has_text="DevOps")
    template.get_by_role("button", name="Use template").click()
    heading(page, "Draft of a new contract:")
    pictures.take(page, "draft")
    write(page, "name: devops-agent", f"name: {name}")
    write(page, "action: block", "acton: block")
    heading(page, "to fix")
    problem = page.locator("[data-problem]").filter(has_text="Unknown key acton")
    expect(problem).to_be_visible()
    line = problem.get_attribute("data-line")
    expect(page.locator(".editor .gutter-error")).to_have_text(str(line))
    pictures.take(page, "mistake")
    problem.get_by_role("button", name="Fix").click()
    heading(page, "ready to save")
    pictures.take(page, "fixed")
    page.get_by_label("Change message").fill("From the template.")
    page.get_by_role("button", name="Save as v1").click()
    expect(page.get_by_text(f"{name} v1 saved.")).to_be_visible()
    pictures.take(page, "saved")

    deploy(page, name, 1, pictures)
    version = console.ask("GET", f"contracts/{name}")[1]
    denied = a_week_of_work(console, version)

    page.goto(f"{console.url}/p/default/calls/{denied}/")
    pictures.take(page, "recorded-call")
    page.get_by_role("button", name="Save as test").click()
    heading(page, "1 test passes")
    pictures.take(page, "a-recorded-call-is-a-test")
    page.get_by_role("link", name="Test", exact=True).click()
    page.get_by_label("Name").fill("deleting a namespace is denied")
    page.get_by_label("Tool").fill("run_command")
    page.get_by_label("Tool").press("Tab")
    page.get_by_label("command").fill(DELETES)  # a field of the arguments of its last call
    page.get_by_label("Expected decision").select_option("denied")
    pictures.take(page, "a-test-by-hand")
    page.get_by_role("button", name="Save test").click()
    heading(page, "1 of 2 tests fail")
    pictures.take(page, "tests-red")

    page.get_by_role("link", name="Edit YAML").click()
    write(
        page, r"- '\bdd\s+if='", r"- '\bkubectl\s+delete\b'" + "\n" + " " * 10 + r"- '\bdd\s+if='"
    )
    expect(page.locator("#cases-panel")).to_contain_text("All 2 tests pass · draft of")
    expect(page.locator("#checked")).to_contain_text("Changes since v1")
    pictures.take(page, "tests-green")

    panel = page.get_by_role("region", name="Backtest")
    panel.get_by_role("button", name="Run").click()
    expect(panel).to_contain_text("calls would be newly denied", timeout=BEHIND)
    expect(panel.locator("[data-row=newly_denied]")).to_contain_text(str(len(AGENTS) * DAYS))
    expect(panel).to_contain_text("kubectl delete pod checkout-1")
    pictures.take(page, "backtest")
    page.get_by_label("Change message").fill("Nothing is deleted by hand.")
    page.get_by_role("button", name="Save as v2").click()
    expect(page.get_by_text(f"{name} v2 saved.")).to_be_visible()
    pictures.take(page, "second-version")

    with a_connected_agent(console, f"{name}-bot", bundle=name, env="staging") as call:
        assert call("run_command", DELETES) == "ran"
        deploy(page, name, 2, pictures)
        row = page.get_by_role("row").filter(has_text=f"{name}-bot")
        expect(row).to_contain_text("sent")
        assert until(lambda: call("run_command", DELETES).startswith(f"denied: {DENIED}"))
        expect(row).to_contain_text("up to date")
        pictures.take(page, "taken")
        page.get_by_role("button", name="Roll back to v1").click()
        heading(page, f"{name} v1 is deployed to staging")
        assert until(lambda: call("run_command", DELETES) == "ran")
        expect(row).to_contain_text("up to date")
        pictures.take(page, "rolled-back")


def deploy(page: Page, name: str, number: int, pictures: Pictures) -> None:
    page.get_by_role("link", name="Deploy…").click()
    page.get_by_label("Environment", exact=True).fill("staging")
    page.get_by_role("button", name="Show plan").click()
    heading(page, f"Deploy {name} v{number} to staging?")
    pictures.take(page, f"deploy-v{number}")
    page.get_by_role("button", name=f"Deploy v{number} to staging").click()
    heading(page, f"{name} v{number} is deployed to staging")
    pictures.take(page, f"deployed-v{number}")
