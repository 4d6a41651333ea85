"""Rows of a list, walked along by keys."""

from playwright.sync_api import Locator, Page, expect

STEPS = 60  # more rows than any of these pages has
IS_FOCUSED = "row => row === document.activeElement"


def walk_to(page: Page, row: Locator) -> None:
    expect(row).to_be_visible()
    for _ in range(STEPS):
        if row.evaluate(IS_FOCUSED):
            return
        page.keyboard.press("j")
    raise AssertionError(f"j does not come to {row}")
