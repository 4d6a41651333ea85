"""Switches a contract from observe to enforce by changing only its default mode."""

from typing import NamedTuple

import yaml

from governance.texts.document import Document
from governance.texts.yaml_text import places

_MODE = ("defaults", "mode")


class Enforced(NamedTuple):
    text: str
    line: int  # of the changed word, from 1


def enforced(document: Document) -> Enforced | None:
    """The same text with `mode: enforce` as its default, or None if it doesn't observe.

    A rule with its own mode keeps it: its author set it on purpose.
    """
    text = document.text
    for place in places(text):
        event = place.event
        if place.path != _MODE or place.is_key or not isinstance(event, yaml.ScalarEvent):
            continue
        if event.value != "observe":
            return None
        start, end = place.start.index, place.end.index
        written = text[start:end]
        at = written.rfind("observe")
        # Keep what surrounds the word, such as quotes or a tag. Replace all of it if it has
        # escapes.
        word = "enforce" if at < 0 else f"{written[:at]}enforce{written[at + 7 :]}"
        return Enforced(text[:start] + word + text[end:], place.start.line + 1)
    return None
