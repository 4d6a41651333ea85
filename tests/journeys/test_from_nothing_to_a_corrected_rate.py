"""Story A: from a new installation to an enforced contract and a corrected rate, starting on the
start page.

Each step is kept as a picture in the folder of the test.
"""

import importlib.metadata
import os
import re
import subprocess
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.clicks import pages_opened
from tests.journeys.console import BEHIND, EMAIL, PASSWORD
from tests.journeys.test_a_typo_is_rolled_back import assert_no_raw_json
from tests.sdks.environments import VENV, pip_of

CALLS = 12  # every third one fails silently
SDK = Path(str(importlib.metadata.distribution("edictum").locate_file("")))


@pytest.fixture
def keep(page: Page, tmp_path: Path):
    number = count(1)

    def picture(name: str) -> None:
        page.screenshot(path=tmp_path / f"{next(number)}-{name}.png", full_page=True)
        assert_no_raw_json(page)

    return picture


class Machine:
    """A developer's folder with a virtual environment."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder, self.key = folder, key
        folder.mkdir()
        self.run(*VENV, "venv")

    def run(self, *command: str) -> str:
        # The SDK comes from the test environment, so no package index is needed.
        env = os.environ | {"PYTHONPATH": str(SDK)}
        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=180
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def python(self, name: str, code: str, **changes: str) -> str:
        """Run code copied from the page with the key and these replacements inserted."""
        for before, after in {"edk_production_…": self.key, **changes}.items():
            assert before in code, before
            code = code.replace(before, after)
        (self.folder / name).write_text(code)
        return self.run("venv/bin/python", name)


@pytest.mark.slow
def test_a_new_installation_leads_to_an_enforced_contract_and_a_corrected_rate(
    new_console, page, tmp_path, keep
):
    output, url = new_console.product.output, new_console.url
    (link,) = re.findall(r"http://\S+/set-up/\S+", output)
    (key,) = re.findall(r"edk_production_\w+", output)
    machine = Machine(tmp_path / "agent", key)
    start = f"{url}/p/default/start/"

    opened = pages_opened(page)
    page.goto(link)
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Create account").click()
    expect(page).to_have_url(start)
    expect(page.get_by_text("Use the key printed in the terminal.")).to_be_visible()
    keep("start")

    connect(page, machine)
    expect(page.locator("#connect-state")).to_contain_text(
        f"{CALLS} calls received, {CALLS} with an output"
    )
    expect(page.locator("#steps-done")).to_contain_text("2 of 4 steps done")
    keep("connected")

    page.get_by_label("Template").select_option("file-agent")
    page.get_by_role("button", name="Deploy template to production").click()
    expect(page).to_have_url(start)
    state = page.locator("#contract-state")
    expect(state).to_contain_text("Waiting for the first call under file-agent v1")
    keep("deployed")
    code = page.locator("#contract-tabs-python").inner_text()
    denied = machine.python(
        "guarded.py",
        code,
        **{'"hello", {"name": "you"}, hello': '"read_file", {"path": ".env"}, hello'},
    )
    assert "Denied" in denied
    expect(state).to_contain_text(f"1 of {CALLS + 1} calls under a contract")
    expect(page.locator("#steps-done")).to_contain_text("3 of 4 steps done")
    keep("obeyed")

    page.get_by_role("button", name="Scan now").click()
    step = page.locator("#suggestion [aria-current=step]")
    expect(step).to_be_visible(timeout=BEHIND)
    failing = CALLS // 3
    expect(page.get_by_role("heading", level=1)).to_contain_text(f"{failing} look like failures")
    keep("suggested")
    step.get_by_role("button", name="Create draft").click()
    expect(step).to_contain_text(f"{failing} recorded calls would change", timeout=BEHIND)
    step.get_by_role("button", name="Save check").click()
    step.get_by_role("button", name="Bind to crm_lookup").click()
    step.get_by_role("button", name=re.compile("Reclassify")).click()
    expect(page).to_have_url(f"{start}#suggestion")
    keep("reclassified")

    expect(page.locator("#steps-done")).to_contain_text("4 of 4 steps done", timeout=BEHIND)
    expect(page.locator("#check-state")).to_contain_text(f"{CALLS} of {CALLS} executed calls")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        f"{CALLS + 1} calls received: 1 under a contract, {CALLS} checked by your checks",
        timeout=BEHIND,
    )
    keep("done")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Tools").click()
    page.get_by_role("link", name="crm_lookup", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("crm_lookup")
    expect(page.get_by_role("main")).to_contain_text("66.7")
    assert [each.url for each in opened if not each.from_url.startswith(url)] == [link]
    assert {each.content.partition(";")[0] for each in opened} == {"text/html"}


def connect(page: Page, machine: Machine) -> None:
    """Install and run the code of the start page, with a tool that sometimes fails silently."""
    install = page.locator("#connect-python-command").inner_text()
    pip = " ".join(pip_of(machine.folder / "venv/bin/python"))
    offline = install.replace("pip install", f"{pip} install --quiet --no-index --no-deps")
    machine.run("sh", "-c", offline)
    machine.python(
        "first.py",
        page.locator("#connect-python").inner_text(),
        **{
            '{"ok": True, "account": account}': '{"ok": account % 3 != 0, "account": account}',
            'print(crm_lookup("A-2091"))': f"[crm_lookup(number) for number in range({CALLS})]",
        },
    )
