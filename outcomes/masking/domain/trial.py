"""Changes that masking before storing would make to a recorded value."""

from collections.abc import Iterator
from dataclasses import dataclass

from governance.core.json_value import Json
from governance.core.masks.marks import MARK
from outcomes.masking.domain.json_pointers import below


@dataclass(frozen=True, slots=True)
class Change:
    place: str  # a JSON pointer
    text: str  # as it would be stored
    detectors: tuple[str, ...]


def changes(before: Json, after: Json, place: str = "") -> Iterator[Change]:
    """Masked texts and numbers, in order."""
    match before, after:
        case dict(), dict():
            for (name, old), (_, new) in zip(before.items(), after.items(), strict=True):
                yield from changes(old, new, below(place, name))
        case list(), list():
            for index, (old, new) in enumerate(zip(before, after, strict=True)):
                yield from changes(old, new, below(place, index))
        case _, str() if after != before:
            known = set(MARK.findall(before)) if isinstance(before, str) else set()
            marks = [each for each in MARK.findall(after) if each not in known]
            yield Change(place, after, tuple(dict.fromkeys(_detector(each) for each in marks)))


def _detector(mark: str) -> str:
    return mark.split(":", 2)[1]
