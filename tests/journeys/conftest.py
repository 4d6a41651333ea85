"""Runs the product as separate processes with a real browser. Every journey fails on a violation of
the content security policy, an error on the browser console or a script error."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from edictum_site.stack.running import product as running
from tests.databases import own_database
from tests.journeys.console import EMAIL, PASSWORD, VARIABLES, Console

# The first is headless Chromium, which needs half of the CPU time of the others.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
MISSING = "Chromium is not installed: apt-get install --no-install-recommends chromium"
# Milliseconds, enough for a busy machine. Only failing tests wait this long.
PATIENCE = 60_000
expect.set_options(timeout=PATIENCE)

WATCH = """
document.addEventListener("securitypolicyviolation", (event) =>
  reportViolation(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
for (const name of ["htmx:evalDisallowedError", "htmx:swapError", "htmx:targetError"])
  document.addEventListener(name, (event) => reportViolation(name));
"""

# A request replaced by a newer one. A failed request also logs htmx:sendError.
WITHDRAWN = ("htmx:sendAbort", "htmx:afterRequest")


@pytest.fixture(scope="package")
def store() -> Iterator[dict[str, str]]:
    with own_database() as variables:
        yield variables


@pytest.fixture(scope="package")
def console(store: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Console]:
    data = tmp_path_factory.mktemp("console")
    with running(data, VARIABLES | store) as product:
        yield Console(product, store["DATABASE_URL"])


@pytest.fixture
def new_console(tmp_path: Path) -> Iterator[Console]:
    """A console that has not been set up yet."""
    with own_database() as variables, running(tmp_path / "new", variables) as product:
        yield Console(product, variables["DATABASE_URL"])


# Package scope, not session: its event loop must end before the next database test.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(MISSING)
    with sync_playwright() as playwright:
        # Chromium's sandbox does not work as root.
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages in separate browser contexts, and fail on errors in any of them."""
    complaints: list[str] = []
    contexts: list[BrowserContext] = []

    def note_error(words: ConsoleMessage) -> None:
        if words.type == "error" and not words.text.startswith(WITHDRAWN):
            complaints.append(words.text)

    def open_one(**options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.expose_function("reportViolation", lambda words: complaints.append(words))
        context.add_init_script(WATCH)
        page = context.new_page()
        page.on("console", note_error)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    return open_page()


@pytest.fixture(scope="package")
def signed_in(console: Console, browser: Browser) -> Any:
    """Browser state after signing in through the form."""
    return signed_in_at(console.url, browser)


def signed_in_at(url: str, browser: Browser) -> Any:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    sign_in(page, url)
    page.wait_for_url("**/p/**")
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def admin(console: Console, signed_in: Any, open_page: Callable[..., Page]) -> Page:
    """The admin's browser on the list of sessions."""
    page = open_page(storage_state=signed_in)
    page.goto(f"{console.url}/p/default/sessions/")
    return page


def sign_in(page: Page, url: str, password: str = PASSWORD) -> None:
    page.goto(f"{url}/account/sign-in/")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
