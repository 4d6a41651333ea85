"""Contract documents: validation that doesn't need the library, and conversion between formats."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256

import yaml

from governance.texts.dialect import Dialect, dialect_of, swap_key, swap_value
from governance.texts.source_text import decoded, refuse_at
from governance.texts.yaml_text import Place, places, refuse

MAX_BYTES = 512 * 1024


@dataclass(frozen=True, slots=True)
class Document:
    text: str
    dialect: Dialect
    twin: str  # the same text line for line in the other format

    @property
    def sha(self) -> str:
        """Hash of the text that the library reads."""
        return sha256(self.new_text.encode()).hexdigest()

    @property
    def new_text(self) -> str:
        """Text in the new format, the only one that the library reads."""
        return self.text_in(Dialect.NEW)

    def text_in(self, dialect: Dialect) -> str:
        """Text in this format: as written, or converted."""
        return self.text if dialect is self.dialect else self.twin


def read_document(source: bytes | str) -> Document:
    """Parse a document. Raises DocumentInvalid for all errors that don't need the library to
    detect."""
    text = decoded(source, at_most=MAX_BYTES)
    words = _Words()
    for place in places(text):
        words.see(place)
    if words.nothing_yet:
        refuse_at(0, text, "The document is empty.")
    dialect = dialect_of(kind=words.kind, has_contracts=words.has_contracts)
    return Document(text, dialect, words.rewritten(text))


@dataclass(slots=True)
class _Words:
    """Evidence for the format, collected in one pass: `kind` may be the last key."""

    kind: str | None = None
    has_contracts: bool = False
    nothing_yet: bool = True
    swaps: list[tuple[int, int, str, str]] = field(default_factory=list)

    def see(self, place: Place) -> None:
        path, is_key, event = place
        if self.nothing_yet and not isinstance(event, yaml.MappingStartEvent):
            refuse("A contract document is made of keys, such as `kind: Ruleset`.", event)
        self.nothing_yet = False
        if not isinstance(event, yaml.ScalarEvent):
            return
        word = event.value
        if is_key:
            self.has_contracts = self.has_contracts or path == ("contracts",)
        elif path == ("kind",):
            self.kind = word
        twin = swap_key(path[:-1], word) if is_key else swap_value(path, word)
        if twin != word:
            self.swaps.append((place.start.index, place.end.index, word, twin))

    def rewritten(self, text: str) -> str:
        return "".join(self._pieces(text))

    def _pieces(self, text: str) -> Iterator[str]:
        done = 0
        for start, end, word, twin in self.swaps:
            written = text[start:end]
            at = written.rfind(word)
            yield text[done:start]
            # Keep what surrounds the word, such as quotes or a tag. Replace all of it if it has
            # escapes.
            yield twin if at < 0 else written[:at] + twin + written[at + len(word) :]
            done = end
        yield text[done:]
