"""Browsers and their sessions in words."""

from typing import Final

# In this order: later ones name earlier ones, too.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


def browser_words(agent: str) -> str:
    """Firefox on Linux"""
    browser = next((words for mark, words in _BROWSERS if mark in agent), "")
    system = next((words for mark, words in _SYSTEMS if mark in agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or agent[:40] or "Unknown browser"


def ended_words(number: int) -> str:
    """1 session ended."""
    return f"{number} session{'' if number == 1 else 's'} ended."
