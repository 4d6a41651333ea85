"""Keyboard navigation along the rows of a list."""

from playwright.sync_api import Locator, Page, expect

STEPS = 60  # more than the number of rows on any of these pages
IS_FOCUSED = "row => row === document.activeElement"


def walk_to(page: Page, row: Locator) -> None:
    expect(row).to_be_visible()
    for _ in range(STEPS):
        if row.evaluate(IS_FOCUSED):
            return
        page.keyboard.press("j")
    raise AssertionError(f"j does not come to {row}")
