"""What saving a version asks, whether of a contract or of a check."""

from typing import NamedTuple, Protocol

from governance.core.actor import shown
from governance.core.errors import Conflict, InvalidInput
from governance.core.texts import can_be_kept

LONGEST_MESSAGE = 2_000


class SavedVersion(Protocol):
    number: int
    author: str


class Grown(NamedTuple):
    """What a text grew from: a version of what has this name, or nothing for a new name."""

    name: str
    number: int


class MovedOn(Conflict):
    """Somebody has saved a version since the one that the text grew from."""

    code = "moved_on"

    def __init__(self, newest: SavedVersion) -> None:
        super().__init__(f"{newest} was saved meanwhile by {shown(newest.author)}.")
        self.newest = newest


def fit_message(text: str) -> str:
    text = text.strip()
    if len(text) > LONGEST_MESSAGE or not can_be_kept(text):
        unfit = f"A message is a text of at most {LONGEST_MESSAGE:,} characters, without NUL."
        raise InvalidInput.at("message", unfit)
    return text
