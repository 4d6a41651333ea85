"""Masking before storing: the masks of two secrets show only whether they are equal."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from governance.core.json_value import Json
from governance.core.masking import SHORTEST, is_secret_field, named_secrets
from governance.core.masks.check_digits import is_card
from governance.core.masks.detectors import Detector
from governance.core.masks.marks import MARK, MARK_BEGINS, is_mark, mask_of
from governance.core.secret_texts import named_spans

_WORD: Final = re.compile(r"[^\s\"'`,;()\[\]{}<>]+")
_CARD_DIGITS: Final = range(13, 20)
_LONGEST_NAME: Final = 64
_NAMES_KNOWN: Final = 10_000
Counts = Counter[str]


@dataclass(frozen=True, slots=True)
class OwnPattern:
    """A project's own pattern, for whole values or for words inside a text."""

    name: str
    matches_in: Callable[[str], bool]
    inside: bool

    @property
    def detector(self) -> str:
        return f"own-{self.name}"


class StoredMasking:
    """A project's detectors and fingerprint key. Safe to share between threads."""

    def __init__(
        self, key: bytes, detectors: Iterable[str], own: Sequence[OwnPattern] = ()
    ) -> None:
        self._key = key
        self.detectors = frozenset(Detector(each) for each in detectors)
        self.of_identifiers = self.detectors - {Detector.CARDS}
        self.own = tuple(own)
        self._plain_names = set[str]()  # field names without secrets; they repeat in every call

    def value(self, value: Json, counts: Counts) -> Json:
        """Value with its secrets masked, including repeats of secrets found by field name."""
        return _Masker(self, counts, value).value(value)

    def text(self, text: str, counts: Counts, *, is_cut: bool = False) -> str:
        return _Masker(self, counts, None).text(text, is_cut=is_cut)

    def identifier(self, text: str, counts: Counts) -> str:
        """Masked identifier. Card numbers aren't detected: one number in ten passes their check."""
        return _Masker(self, counts, None).text(text, detectors=self.of_identifiers)

    def fields(
        self, item: dict[str, Json], *, identifiers: frozenset[str], plain: frozenset[str]
    ) -> tuple[dict[str, Json], Counts]:
        """Mask an agent's item; values of `plain` fields are not changed."""
        counts: Counts = Counter()
        masked, of_identifiers = _Masker(self, counts, item), _Masker(self, counts, None)
        result: dict[str, Json] = {}
        for name, value in item.items():
            if name in plain:
                result[name] = value
            elif name in identifiers and isinstance(value, str):
                result[name] = of_identifiers.text(value, detectors=self.of_identifiers)
            elif isinstance(value, int | float) and not is_secret_field(name, value):
                result[name] = value  # a measurement
            else:
                result[masked.name(name)] = masked.field(name, value)
        return result, counts

    def hits(self, text: str) -> list[tuple[int, int, str]]:
        """Spans of secrets in a text, each with its detector."""
        hits = [
            (each.start, each.end, str(each.detector)) for each in named_spans(text, self.detectors)
        ]
        for own in self.own:
            hits += [(start, end, own.detector) for start, end in _own_spans(own, text)]
        return sorted(hits)

    def is_plain(self, name: str) -> bool:
        return name in self._plain_names

    def note_plain(self, name: str) -> None:
        if len(name) <= _LONGEST_NAME and len(self._plain_names) < _NAMES_KNOWN:
            self._plain_names.add(name)

    def mask(self, secret: str, detector: str, kind: Literal["text", "number"]) -> str:
        return mask_of(secret, key=self._key, detector=detector, kind=kind)


class _Masker:
    """Masks one value: knows the secrets found by name in it, and counts masks by detector."""

    def __init__(self, masking: StoredMasking, counts: Counts, value: Json) -> None:
        self._masking = masking
        self._counts = counts
        self._by_name = Detector.NAMES in masking.detectors
        known = set(named_secrets(value)) if self._by_name else set()
        texts = {each for each in known if isinstance(each, str) and len(each) >= SHORTEST}
        self._known = sorted((each for each in texts if not is_mark(each)), key=len, reverse=True)

    def value(self, value: Json) -> Json:
        match value:
            case str():
                return self.text(value)
            case list():
                return [self.value(item) for item in value]
            case dict():
                return self._fields(value)
            case bool() | None:
                return value
            case _:
                return self._number(value)

    def field(self, name: str, value: Json) -> Json:
        if self._by_name and is_secret_field(name, value):
            return self._all_of(value)
        return self.value(value)

    def name(self, name: str) -> str:
        """Field name with its secrets masked."""
        if not self._known and self._masking.is_plain(name):
            return name
        masked = self.text(name)
        if masked == name and not self._known:
            self._masking.note_plain(name)
        return masked

    def text(
        self, text: str, *, is_cut: bool = False, detectors: frozenset[Detector] | None = None
    ) -> str:
        """Text with its secrets replaced by masks."""
        active = self._masking.detectors if detectors is None else detectors
        if not text:
            return text
        for known in self._known:
            if known in text:
                text = text.replace(known, self._mask(known, Detector.NAMES))
        spans = named_spans(text, active, is_cut=is_cut)
        text = self._without(text, [(each.start, each.end, each.detector) for each in spans])
        for own in self._masking.own:
            own_spans = [(start, end, own.detector) for start, end in _own_spans(own, text)]
            text = self._without(text, own_spans)
        return text

    def _without(self, text: str, spans: Sequence[tuple[int, int, str]]) -> str:
        parts, place = [], 0
        for start, end, detector in spans:
            quote = _quote_for(text, start)
            parts += [text[place:start], quote, self._mask(text[start:end], detector), quote]
            place = end
        return "".join([*parts, text[place:]]) if parts else text

    def _fields(self, value: dict[str, Json]) -> Json:
        fields: dict[str, Json] = {}
        for name, item in value.items():
            as_stored = self.name(name)
            while as_stored in fields:
                as_stored += "'"
            fields[as_stored] = self.field(name, item)
        return fields

    def _all_of(self, value: Json) -> Json:
        """Mask every text and number under a secret's name."""
        match value:
            case str():
                return value if is_mark(value) or not value else self._mask(value, Detector.NAMES)
            case list():
                return [self._all_of(item) for item in value]
            case dict():
                return {self.text(name): self._all_of(item) for name, item in value.items()}
            case bool() | None:
                return value
            case _:
                return self._mask(repr(value), Detector.NAMES, "number")

    def _number(self, value: float) -> Json:
        cards = Detector.CARDS in self._masking.detectors
        if (
            cards
            and isinstance(value, int)
            and len(text := str(value)) in _CARD_DIGITS
            and is_card(text)
        ):
            return self._mask(text, Detector.CARDS, "number")
        return value

    def _mask(self, secret: str, detector: str, kind: Literal["text", "number"] = "text") -> str:
        self._counts[str(detector)] += 1
        return self._masking.mask(secret, str(detector), kind)


def _own_spans(own: OwnPattern, text: str) -> list[tuple[int, int]]:
    """Spans of a project's own pattern, outside of masks."""
    if not text or is_mark(text) or not own.matches_in(MARK.sub(" ", text)):
        return []
    if not own.inside:
        return [(0, len(text))]
    words = [match.span() for match in _WORD.finditer(text) if own.matches_in(match[0])]
    if MARK_BEGINS in text:
        marks = [match.span() for match in MARK.finditer(text)]
        words = [word for word in words if not any(a <= word[0] < b for a, b in marks)]
    return words or [(0, len(text))]  # the match spans several words


def _quote_for(text: str, start: int) -> str:
    """Quote to put around a mask that replaces a JSON number, list or object: its name's quote."""
    before = text[max(0, start - 24) : start].rstrip()
    if not before.endswith(":") or text[start : start + 1] not in "{[-0123456789":
        return ""
    quote = re.search(r"""\\{0,7}["']$""", before[:-1].rstrip())
    return quote[0] if quote else ""
