"""Rules for saving a version, of a contract or of a check."""

from typing import NamedTuple, Protocol

from governance.core.actor import shown
from governance.core.errors import Conflict, InvalidInput
from governance.core.texts import is_storable

LONGEST_MESSAGE = 2_000


class SavedVersion(Protocol):
    number: int
    author: str


class Grown(NamedTuple):
    """Version that a text is based on."""

    name: str
    number: int


class MovedOn(Conflict):
    """A newer version was saved since the draft was started."""

    code = "moved_on"

    def __init__(self, newest: SavedVersion) -> None:
        super().__init__(f"{shown(newest.author)} saved {newest} in the meantime.")
        self.newest = newest


def fit_message(text: str) -> str:
    text = text.strip()
    if len(text) > LONGEST_MESSAGE or not is_storable(text):
        unfit = f"Use up to {LONGEST_MESSAGE:,} characters, without NUL."
        raise InvalidInput.at("message", unfit)
    return text
