"""Masking of values that leave the agent: secrets masked, large values cut, parts withheld."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

MASK = "[REDACTED]"

# The value of a key is masked if any word of the key is one of these.
_WORDS_OF_SECRETS = (
    "apikey auth authorization cookie credential credentials key keys passphrase passwd password"
    " passwords privatekey secret secrets token tokens"
)
# Keys that contain such a word but hold no secret.
_PLAIN_KEYS = (
    "audio_tokens cached_tokens cache_key completion_tokens foreign_key index_keys input_tokens"
    " max_tokens num_tokens output_tokens primary_key prompt_tokens reasoning_tokens sort_key"
    " sort_keys total_tokens"
)
SECRET_WORDS = frozenset(_WORDS_OF_SECRETS.split())
SECRET_KEYS = frozenset(("connection_string", "database_url"))
PLAIN_KEYS = frozenset(_PLAIN_KEYS.split())

# Patterns of secrets. A text without the literal is not searched for the pattern.
SECRET_TEXTS = (
    ("sk-", re.compile(r"\bsk-[A-Za-z0-9_-]{20,}")),
    ("AKIA", re.compile(r"\bAKIA[A-Z0-9]{16}\b")),
    ("eyJ", re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)?")),
    ("gh", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}")),
    ("xox", re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}")),
    ("edk_", re.compile(r"\bedk_[A-Za-z0-9._-]+_[A-Za-z0-9_-]{32,}")),
    ("earer ", re.compile(r"(?<=[Bb]earer )[A-Za-z0-9._~+/=-]{16,}")),
    ("://", re.compile(r"(?<=://)[^\s/:@]{0,256}:[^\s/@]{1,256}(?=@)")),
    ("PRIVATE KEY", re.compile(r"(?<=PRIVATE KEY-----)[A-Za-z0-9+/=\s]{32,}")),
)
SHORTEST_SECRET = 7  # characters; the shortest match is about `x://a:b@`
KEYS_KNOWN = 10_000
_WORDS = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z0-9]+(?![a-z])")


@dataclass(frozen=True)
class Masking:
    """Masking of outputs, arguments and errors before they are queued.

    `also` runs last and receives the tool's name and the already masked value. If it raises, the
    value is withheld.
    """

    keys: Iterable[str] = ()
    texts: Iterable[str] = ()
    also: Callable[[str, Any], Any] | None = None
    outputs: bool = True
    arguments: bool = True
    # Report outputs that failed a contract's postcondition: they may hold what the rule protects.
    flagged_outputs: bool = False
    max_characters: int = 1_000_000
    _keys: frozenset[str] = field(init=False, repr=False, compare=False)
    _known: dict[str, bool] = field(init=False, repr=False, compare=False, default_factory=dict)
    _texts: tuple[re.Pattern[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        own = {_plain(key) for key in self.keys}
        object.__setattr__(self, "_keys", SECRET_KEYS | own)
        object.__setattr__(self, "_texts", tuple(re.compile(text) for text in self.texts))

    @cached_property
    def for_events(self) -> Masking:
        """Masking for SDK events: the same, but without `also` and with the default size limit."""
        return replace(self, also=None, max_characters=Masking.max_characters)

    def hides(self, key: str) -> bool:
        known = self._known.get(key)
        if known is None:
            known = self._hides(_plain(key))
            if len(self._known) < KEYS_KNOWN:
                self._known[key] = known
        return known

    def _hides(self, plain: str) -> bool:
        if plain in self._keys:
            return True
        return plain not in PLAIN_KEYS and not SECRET_WORDS.isdisjoint(plain.split("_"))

    def text(self, text: str) -> str:
        if len(text) < SHORTEST_SECRET and not self._texts:
            return text
        for letters, pattern in SECRET_TEXTS:
            if letters in text:
                text = pattern.sub(MASK, text)
        for pattern in self._texts:
            text = pattern.sub(MASK, text)
        return text


def _plain(key: str) -> str:
    """Normalized key: `apiKey`, `API-KEY` and `api_key` are the same."""
    return "_".join(_WORDS.findall(key[:200])).lower()
