"""A developer's first hour: a key, two commands, a call with its output, then a demo."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from edictum_site.stack.running import product as running
from tests.databases import own_database
from tests.journeys.conftest import sign_in
from tests.journeys.console import BEHIND, VARIABLES
from tests.sdks.environments import VENV, pip_of

ROOT = Path(__file__).resolve().parent.parent.parent
BOOTSTRAP = "EDICTUM_SITE_BOOTSTRAP_KEY"
SMALL = {"EDICTUM_SITE_DEMO_PERCENT": "1"}
RUN = {  # command for the code of each language, and the program it needs
    "typescript": ("node first.mjs", "node"),
    "go": ("go run first.go", "go"),
    "curl": ("sh first.sh", "curl"),
}


@pytest.fixture
def new_console(tmp_path):
    """A console with an admin and nothing else, and the variables of its database."""
    variables = {name: value for name, value in VARIABLES.items() if name != BOOTSTRAP}
    with own_database() as store, running(tmp_path / "new", variables | SMALL | store) as product:
        yield product, store | {"EDICTUM_SITE_DATA": str(product.data)}


def ran(command, cwd, **env):
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | env, capture_output=True, text=True, timeout=180
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_developer_gets_from_the_printed_key_to_an_output_on_the_start_page(
    new_console, page, tmp_path
):
    product, _ = new_console
    (printed,) = re.findall(r"edk_production_\w+", product.output)
    sign_in(page, product.url)
    expect(page.get_by_text("Use the key printed in the terminal.")).to_be_visible()
    expect(page.locator("#key-state")).to_contain_text(printed[: len("edk_production_") + 4])

    page.get_by_text("Create another key").click()
    page.get_by_role("button", name="Create key").click()
    key = page.locator("#first-key").inner_text()
    assert key.startswith("edk_production_")
    for language in ("TypeScript", "Go", "curl", "Python"):  # the tabs remain
        page.get_by_text(language, exact=True).click()
        code = page.locator(f"#connect-{language.lower()}")
        expect(code).to_be_visible()
        expect(code).to_contain_text(key)
        expect(page.locator(".code-tab:visible")).to_have_count(1)

    folder = tmp_path / "agent"
    folder.mkdir()
    ran([*VENV, str(folder / "venv")], folder)
    install = page.locator("#connect-python-command").inner_text()
    pip = " ".join(pip_of(folder / "venv/bin/python"))
    offline = install.replace("pip install", f"{pip} install --quiet --no-index --no-deps")
    ran(["/bin/sh", "-c", offline], folder)
    (folder / "first.py").write_text(page.locator("#connect-python").inner_text())
    assert "A-2091" in ran(["venv/bin/python", "first.py"], folder)
    state = page.locator("#connect-state")
    expect(state).to_contain_text("1 call received, 1 with an output")
    expect(page.locator("#step-2 .step-done")).to_be_visible()
    expect(page.locator("#first-key")).to_have_text(key)  # updated in place, not reloaded

    for number, code in enumerate(other_languages(page, folder), 2):
        ran(["/bin/sh", "-c", code], folder, HOME=str(folder))
        expect(state).to_contain_text(f"{number} calls received, {number} with an output")
    page.get_by_role("link", name="Open its session").click()
    expect(page).to_have_url(re.compile("my-first-session"))
    page.go_back()
    expect(page.get_by_role("heading", name="calls received")).to_be_visible()
    assert key not in page.content()


def other_languages(page, folder):
    """Commands for the languages installed on this machine."""
    for name, (command, program) in RUN.items():
        if shutil.which(program) is None:
            continue
        page.locator(f"input[value={name}]").check(force=True)
        file = folder / command.rpartition(" ")[2]
        file.write_text(page.locator(f"#connect-{name}").inner_text())
        yield command


@pytest.mark.both_databases
def test_a_demo_can_be_created_browsed_and_removed(new_console, page, tmp_path):
    product, variables = new_console
    sign_in(page, product.url)
    page.get_by_role("button", name="Create demo project").click()
    ready = page.get_by_role("heading", name="Demo ready")
    expect(ready).to_be_visible(timeout=BEHIND)
    output = ran([sys.executable, str(ROOT / "manage.py"), "demo"], tmp_path, **variables)
    assert f"The demo already exists: {product.url}/p/demo/demo/" in output
    page.goto(f"{product.url}/p/demo/sessions/?q=deploy-night")
    page.get_by_role("link", name="deploy-night").first.click()
    expect(page.locator("main")).to_contain_text("no-deleting")
    page.goto(f"{product.url}/p/demo/demo/")
    page.get_by_role("button", name="Remove demo").click()
    expect(page.get_by_text("Demo removed")).to_be_visible(timeout=BEHIND)
    assert page.request.get(f"{product.url}/p/demo/sessions/").status == 404
