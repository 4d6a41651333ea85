"""From observing to enforcing: the one word of a document that says so, and nothing beside it."""

from typing import NamedTuple

import yaml

from governance.texts.document import Document
from governance.texts.yaml_text import places

_MODE = ("defaults", "mode")


class Enforced(NamedTuple):
    text: str
    line: int  # where the word stands, from 1


def enforced(document: Document) -> Enforced | None:
    """The same text with `mode: enforce` as its default; none when it does not observe.

    A rule with a mode of its own keeps it: its author wrote it there on purpose.
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
        # One written with escapes goes whole; what surrounds the word else stays: quotes, a tag.
        word = "enforce" if at < 0 else f"{written[:at]}enforce{written[at + 7 :]}"
        return Enforced(text[:start] + word + text[end:], place.start.line + 1)
    return None
