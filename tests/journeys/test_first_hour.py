"""The story of a developer: a key, two commands, and the page turns green; then a demo."""

import os
import re
import shutil
import subprocess
import sys
from html import unescape

import pytest
from playwright.sync_api import expect

from edictum_site.first_hour.snippets import snippet
from edictum_site.stack.running import product as running
from tests.databases import own_database
from tests.journeys.conftest import sign_in
from tests.journeys.console import VARIABLES, Console

BOOTSTRAP = "EDICTUM_SITE_BOOTSTRAP_KEY"
SMALL = {"EDICTUM_SITE_DEMO_PERCENT": "2"}


@pytest.fixture
def empty_console(tmp_path):
    variables = {name: value for name, value in VARIABLES.items() if name != BOOTSTRAP}
    with own_database() as store, running(tmp_path / "new", variables | SMALL | store) as product:
        yield Console(product, store["DATABASE_URL"])


def ran(command, cwd, **env):
    told = subprocess.run(
        command, cwd=cwd, env=os.environ | env, capture_output=True, text=True, timeout=30
    )
    assert told.returncode == 0, told.stderr
    return told.stdout


def test_from_an_empty_console_to_green_and_through_a_demo(empty_console, page, tmp_path):
    sign_in(page, empty_console.url)
    expect(page.get_by_role("link", name="Start here")).to_be_visible()
    page.get_by_role("link", name="Start here").click()
    page.get_by_role("button", name=re.compile("Make .*key")).click()
    key = page.locator("#first-key").inner_text()
    expect(page.get_by_text("Waiting for your first outcome")).to_be_visible()
    # What stands there, as it would be copied.
    (tmp_path / "first.py").write_text(unescape(page.locator("#first-lines").inner_text()))
    assert "hello console" in ran([sys.executable, "first.py"], tmp_path)
    expect(page.locator("#first-outcome .arrived")).to_contain_text("hello of my-agent")
    expect(page.locator("#connect-number")).to_have_class(re.compile("step-done"))

    def lines(language):
        return snippet(language, url=empty_console.url, key=key, env="production").text

    assert '"accepted":1' in ran(["/bin/sh", "-c", lines("curl")], tmp_path).replace(" ", "")
    if shutil.which("node"):
        (tmp_path / "first.mjs").write_text(lines("typescript"))
        assert "202" in ran(["node", "first.mjs"], tmp_path)
    if shutil.which("go"):
        (tmp_path / "first.go").write_text(lines("go"))
        assert "202" in ran(["go", "run", "first.go"], tmp_path, HOME=str(tmp_path))

    page.goto(f"{empty_console.url}/p/default/start/")
    page.get_by_role("button", name="Make a demo project").click()
    expect(page.get_by_role("heading", name="Two weeks of simulated agents")).to_be_visible(
        timeout=40_000
    )
    page.goto(f"{empty_console.url}/p/demo/sessions/?q=deploy-night")
    page.get_by_role("link", name="deploy-night").first.click()
    expect(page.locator("main")).to_contain_text("no-deleting")
    page.goto(f"{empty_console.url}/p/demo/demo/")
    page.get_by_role("button", name="Remove the demo").click()
    expect(page.get_by_text("The demo is gone")).to_be_visible(timeout=20_000)
    assert page.request.get(f"{empty_console.url}/p/demo/sessions/").status == 404
    page.goto(f"{empty_console.url}/p/default/sessions/")
    expect(page.get_by_role("link", name="my-first-session")).to_be_visible()
