"""Detect names of fields that hold secrets, by the words in the name."""

import re
from functools import lru_cache
from itertools import pairwise

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# One of these words is enough, or one of these pairs of adjacent words.
_SECRET_WORDS = frozenset(
    [
        "password",
        "passwd",
        "passphrase",
        "passcode",
        "pwd",
        "secret",
        "secrets",
        "token",
        "credential",
        "credentials",
        "apikey",
        "authorization",
        "cookie",
        "cookies",
        "bearer",
        "otp",
        "cvv",
        "cvc",
        "csc",
        "ssn",
        "pin",
        "jwt",
        "signature",
    ]
)
_SECRET_PAIRS = frozenset(
    {
        ("api", "key"),
        ("access", "key"),
        ("account", "key"),
        ("private", "key"),
        ("signing", "key"),
        ("encryption", "key"),
        ("ssh", "key"),
        ("card", "number"),
        ("card", "no"),
        ("connection", "string"),
        ("session", "key"),
        ("set", "cookie"),
        ("social", "security"),
        ("auth", "header"),
    }
)
# A number under a secret's name is usually a setting (`token_limit: 100`). Under these, a secret.
_SECRET_NUMBERS = frozenset(["password", "passcode", "otp", "cvv", "cvc", "csc", "ssn", "pin"])
_NUMERIC_PAIRS = frozenset({("card", "number"), ("card", "no"), ("social", "security")})


@lru_cache(maxsize=4_096)
def is_secret_name(name: str) -> bool:
    words = _words(name)
    return not (_SECRET_WORDS.isdisjoint(words) and _SECRET_PAIRS.isdisjoint(pairwise(words)))


@lru_cache(maxsize=4_096)
def is_name_of_secret_number(name: str) -> bool:
    words = _words(name)
    return not (_SECRET_NUMBERS.isdisjoint(words) and _NUMERIC_PAIRS.isdisjoint(pairwise(words)))


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORDS.findall(name[:200])]
