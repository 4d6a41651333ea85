"""Masking of secrets by name and by format, for everything that people and `read` keys see."""

import json
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from governance.core.json_value import Json
from governance.core.masks.marks import is_mark
from governance.core.secret_names import is_name_of_secret_number, is_secret_name
from governance.core.secret_texts import end_of_container, secret_spans

MASK: Final = "[masked]"
BLANKED: Final = "[REDACTED]"  # by the agent, which sends only this
SHORTEST: Final = 6  # minimum length of a secret that is masked in other texts


def masked(value: Json) -> tuple[Json, int]:
    """Value with its secrets masked wherever they occur in it, and their number."""
    return _Masker(frozenset(named_secrets(value))).value(value)


def masked_text(text: str, *, is_cut: bool = False) -> tuple[str, int]:
    return _Masker(frozenset()).text(text, is_cut=is_cut)


@lru_cache(maxsize=4_096)
def masked_beginning(text: str, cut_at: int = 200) -> str:
    """Mask a stored beginning of a text; one with `cut_at` characters may be truncated."""
    return masked_text(text, is_cut=len(text) >= cut_at)[0]


def without_named_secrets(text: str, *values: Json) -> str:
    """Mask secrets in a text that these values contain under a secret's name."""
    if text:
        for secret in {each for value in values for each in named_secrets(value)}:
            if isinstance(secret, str) and len(secret) >= SHORTEST and secret in text:
                text = text.replace(secret, MASK)
    return text


class Masking:
    """Masking of related values: a value with a secret's name in one is masked in all of them."""

    def __init__(self, *values: Json) -> None:
        known = set[Json]()
        for value in values:
            known.update(named_secrets(value))
        self._masker = _Masker(frozenset(known))

    def value(self, value: Json) -> Json:
        return self._masker.value(value)[0]

    def field(self, name: str, value: Json) -> tuple[Json, int]:
        """Mask the whole value of a field with a secret's name. Empty values are not secrets."""
        return self._masker.field(name, value)

    def text(self, text: str, *, is_cut: bool = False) -> str:
        return self._masker.text(text, is_cut=is_cut)[0]

    def written(self, selector: str, text: str) -> str:
        """Mask the value that a selector found, given as JSON that may be truncated."""
        try:
            value = json.loads(text)
        except ValueError:
            return f'"{MASK}"' if is_secret_name(selector) else self.text(text, is_cut=True)
        return json.dumps(self._masker.field(selector, value)[0], ensure_ascii=False)


class _Masker:
    def __init__(self, known: frozenset[Json]) -> None:
        self._known = known
        texts = {each for each in known if isinstance(each, str) and len(each) >= SHORTEST}
        self._texts = sorted(texts, key=len, reverse=True)

    def value(self, value: Json) -> tuple[Json, int]:
        match value:
            case str():
                return (MASK, 1) if value in self._known and value != MASK else self.text(value)
            case list():
                items = [self.value(item) for item in value]
                return [item for item, _ in items], sum(secrets for _, secrets in items)
            case dict():
                return self._fields(value)
            case _:
                return value, 0

    def field(self, name: str, value: Json) -> tuple[Json, int]:
        return (MASK, 1) if is_secret_field(name, value) else self.value(value)

    def text(self, text: str, *, is_cut: bool = False) -> tuple[str, int]:
        spans = secret_spans(text, is_cut=is_cut)
        if not spans and not self._texts:
            return text, 0
        parts, place = [], 0
        for start, end in spans:
            parts += [text[place:start], MASK]
            place = end
        shown = "".join([*parts, text[place:]])
        secrets = sum(text[start:end] != MASK for start, end in spans)
        for known in self._texts:
            secrets += shown.count(known)
            shown = shown.replace(known, MASK)
        return shown, secrets

    def _fields(self, value: dict[str, Json]) -> tuple[Json, int]:
        shown: dict[str, Json] = {}
        secrets = 0
        for name, item in value.items():
            inner, in_value = self.field(name, item)
            as_shown, in_name = self.text(name)
            while as_shown in shown:
                as_shown += "'"
            shown[as_shown] = inner
            secrets += in_value + in_name
        return shown, secrets


def masked_bytes(content: bytes) -> bytes:
    """Replace secrets by asterisks; the length, offsets and JSON structure don't change."""
    text = content.decode("latin-1")
    spans = secret_spans(text)
    if not spans:
        return content
    shown = bytearray(content)
    for start, end in spans:
        shown[start:end] = _blanked(text, start, end).encode()
    return bytes(shown)


def _blanked(text: str, start: int, end: int) -> str:
    secret = text[start:end]
    if secret[0] in "{[" and end_of_container(text, start) == end:
        return _leaves_of(secret)
    if secret.isdigit() and text[max(0, start - 9) : start].rstrip()[-1:] in (":", "[", ","):
        return "9" * len(secret)  # a JSON number
    return "*" * len(secret)


def _leaves_of(text: str) -> str:
    """List or object with its texts replaced by asterisks and its digits by 1."""
    characters, inside, escaped = [], False, False
    for character in text:
        if inside:
            ends = character == '"' and not escaped
            escaped = character == "\\" and not escaped
            inside = not ends
            characters.append('"' if ends else "*")
        elif character == '"':
            inside = True
            characters.append(character)
        else:
            characters.append("1" if character.isdigit() else character)
    return "".join(characters).encode("ascii", "replace").decode()


def is_secret_field(name: str, value: Json) -> bool:
    if isinstance(value, str) and is_mark(value):
        return False  # masked before it was stored
    if value is None or isinstance(value, bool) or value in ("", [], {}, BLANKED):
        return False
    if isinstance(value, int | float):
        return is_name_of_secret_number(name)
    return is_secret_name(name)


def named_secrets(value: Json) -> Iterable[Json]:
    match value:
        case dict():
            for name, item in value.items():
                yield from _leaves(item) if is_secret_field(name, item) else named_secrets(item)
        case list():
            for item in value:
                yield from named_secrets(item)
        case _:
            return


def _leaves(value: Json) -> Iterable[Json]:
    match value:
        case dict():
            for item in value.values():
                yield from _leaves(item)
        case list():
            for item in value:
                yield from _leaves(item)
        case str() if value:
            yield value
        case _:
            return
