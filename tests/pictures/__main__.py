"""Pictures of every page with demo data, in both themes and at both widths: `make pictures`.

Pages are found in the URL configuration: one that comes later is among them without being named
here, once what its address names is (`told.py`).
"""

import os
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import django
from playwright.sync_api import Browser, Page, sync_playwright

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "edictum_site.settings")
os.environ.setdefault("EDICTUM_SITE_DATA", str(Path(".cache/check").resolve()))
django.setup()

from edictum_site.stack.running import product  # noqa: E402 - after the settings are there
from tests.journeys.conftest import MISSING, NAMES, sign_in  # noqa: E402
from tests.journeys.console import EMAIL, PASSWORD  # noqa: E402
from tests.pictures.demo_addresses import DemoAddresses, pages_of  # noqa: E402

FOLDER = Path("pictures")
DATA = Path(".cache/pictures").resolve()  # kept for the next time; without it the demo is new
README = Path("docs/pictures")  # `python -m tests.pictures readme` takes these anew
SHOWN = {"outcomes-overview": 894, "session-stopped": 770, "outcomes-suggestions": 430}
THEMES, WIDTHS = ("light", "dark"), (1280, 390)
TALLEST = 2_600  # pixels of a picture
PATIENCE = 120.0  # seconds for the demo


def main() -> int:
    only = sys.argv[1:]
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        say(MISSING)
        return 1
    FOLDER.mkdir(exist_ok=True)
    variables = {"EDICTUM_SITE_ADMIN_EMAIL": EMAIL, "EDICTUM_SITE_ADMIN_PASSWORD": PASSWORD}
    with product(DATA, variables) as running, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        demo = demo_of(chromium, running.url)
        if only == ["readme"]:
            used, folder = shown(chromium, running.url, demo), README
        else:
            used, folder = take_all(chromium, running.url, demo, only), FOLDER
        chromium.close()
    say(f"{used} pictures are in {folder}/")
    return 0


def demo_of(chromium: Browser, url: str) -> DemoAddresses:
    """Fill a demo as a person does, and ask it what there is to show."""
    page = chromium.new_page()
    sign_in(page, url)
    page.goto(f"{url}/p/default/start/")
    if page.get_by_role("link", name="Open demo").count():  # of the last time
        page.get_by_role("link", name="Open demo").click()
    else:
        page.get_by_role("button", name="Create demo project").click()
        say("Generating two weeks of traffic …")
    ends = time.monotonic() + PATIENCE
    while not page.get_by_role("link", name="Open overview").count():
        if time.monotonic() > ends:
            raise SystemExit("The demo was not ready in time.")
        time.sleep(0.5)
    answer = DemoAddresses(page, url)
    page.close()
    return answer


def take_all(chromium: Browser, url: str, answer: DemoAddresses, only: list[str]) -> int:
    return sum(
        take(chromium, url, answer, theme, width, only) for theme in THEMES for width in WIDTHS
    )


def shown(chromium: Browser, url: str, answer: DemoAddresses) -> int:
    """The few that the README shows, cut where their first screen ends."""
    README.mkdir(exist_ok=True)
    for theme in THEMES:
        page = page_in(chromium, theme, WIDTHS[0])
        sign_in(page, url)
        for name, path in pages_of(answer):
            if name in SHOWN:
                page.goto(f"{url}{path}")
                pictured(page, README / f"{name}-{theme}.png", SHOWN[name])
        page.context.close()
    return len(SHOWN) * len(THEMES)


def page_in(chromium: Browser, theme: str, width: int) -> Page:
    return chromium.new_context(
        color_scheme="light" if theme == "light" else "dark",
        viewport={"width": width, "height": 900},
        reduced_motion="reduce",
    ).new_page()


def take(
    chromium: Browser, url: str, outcome: DemoAddresses, theme: str, width: int, only: list[str]
) -> int:
    page = page_in(chromium, theme, width)
    page.goto(f"{url}/account/sign-in/")
    pictured(page, FOLDER / f"sign-in-{width}-{theme}.png")
    sign_in(page, url)
    number = 1
    for name, path in chosen_pages(outcome, only):
        answer = page.request.get(f"{url}{path}")
        if answer.status != 200 or "<html" not in answer.text()[:200]:
            continue  # a part of a page, a file, or what takes a post
        page.goto(f"{url}{path}")
        pictured(page, FOLDER / f"{name}-{width}-{theme}.png")
        number += 1
    page.context.close()
    return number


def chosen_pages(answer: DemoAddresses, only: list[str]) -> Iterator[tuple[str, str]]:
    for name, path in pages_of(answer):
        if not only or any(part in name for part in only):
            yield name, path


def pictured(page: Page, path: Path, tallest: int = TALLEST) -> None:
    page.wait_for_timeout(150)  # parts that ask for themselves as soon as they are there
    page.wait_for_load_state("load")
    width, height = page.evaluate("[innerWidth, document.documentElement.scrollHeight]")
    page.screenshot(
        path=path,
        full_page=True,
        clip={"x": 0, "y": 0, "width": width, "height": min(height, tallest)},
    )


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
