"""The story of a developer: a key, two commands, and the page turns green; then a demo."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from edictum_site.first_hour.snippets import snippet
from edictum_site.stack.running import product as running
from tests.databases import own_database
from tests.journeys.conftest import sign_in
from tests.journeys.console import BEHIND, VARIABLES

ROOT = Path(__file__).resolve().parent.parent.parent
BOOTSTRAP = "EDICTUM_SITE_BOOTSTRAP_KEY"
SMALL = {"EDICTUM_SITE_DEMO_PERCENT": "1"}


@pytest.fixture
def new_console(tmp_path):
    """A console that has an admin and nothing else, and the variables of its store."""
    variables = {name: value for name, value in VARIABLES.items() if name != BOOTSTRAP}
    with own_database() as store, running(tmp_path / "new", variables | SMALL | store) as product:
        yield product, store | {"EDICTUM_SITE_DATA": str(product.data)}


def ran(command, cwd, **env):
    told = subprocess.run(
        command, cwd=cwd, env=os.environ | env, capture_output=True, text=True, timeout=120
    )
    assert told.returncode == 0, told.stderr
    return told.stdout


def test_from_an_empty_console_to_green_and_through_a_demo(new_console, page, tmp_path):
    product, variables = new_console
    sign_in(page, product.url)
    expect(page.get_by_role("heading", name="Connect an agent")).to_be_visible()
    page.get_by_role("button", name=re.compile("Make .*key")).click()
    key = page.locator("#first-key").inner_text()
    expect(page.get_by_text("Waiting for your first outcome")).to_be_visible()
    (tmp_path / "first.py").write_text(page.locator("#first-lines").inner_text())
    assert "hello console" in ran([sys.executable, "first.py"], tmp_path)
    expect(page.locator("#first-outcome .arrived")).to_contain_text("hello of my-agent")
    expect(page.locator("#connect-number")).to_have_class(re.compile("step-done"))
    run_other_languages(product.url, key, tmp_path)

    page.goto(f"{product.url}/p/default/start/")
    page.get_by_role("button", name="Make a demo project").click()
    filled = page.get_by_role("heading", name="Two weeks of simulated agents")
    expect(filled).to_be_visible(timeout=BEHIND)
    told = ran([sys.executable, str(ROOT / "manage.py"), "demo"], tmp_path, **variables)
    assert f"There is a demo already: {product.url}/p/demo/demo/" in told
    page.goto(f"{product.url}/p/demo/sessions/?q=deploy-night")
    page.get_by_role("link", name="deploy-night").first.click()
    expect(page.locator("main")).to_contain_text("no-deleting")
    page.goto(f"{product.url}/p/demo/demo/")
    page.get_by_role("button", name="Remove the demo").click()
    expect(page.get_by_text("The demo is gone")).to_be_visible(timeout=BEHIND)
    assert page.request.get(f"{product.url}/p/demo/sessions/").status == 404
    page.goto(f"{product.url}/p/default/sessions/")
    expect(page.get_by_role("link", name="my-first-session")).to_be_visible()


def run_other_languages(url, key, folder):
    """Those that this machine has."""
    for language, program in (("curl", "curl"), ("typescript", "node"), ("go", "go")):
        if shutil.which(program) is None:
            continue
        lines = snippet(language, url=url, key=key, env="production")
        if lines.file:
            (folder / lines.file).write_text(lines.text)
        told = ran(["/bin/sh", "-c", lines.command or lines.text], folder, HOME=str(folder))
        assert "202" in told or "accepted" in told
