"""Which parts of a value are secrets by their look: masked wherever people read arguments."""

import re
from itertools import pairwise
from typing import Final

from governance.domain.json_value import Json

MASK: Final = "[masked]"

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
# One word of a name is enough, or two that follow each other.
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
# A number under such a name is a setting (`token_limit: 100`), unless the secret is one itself.
_SECRET_NUMBERS = frozenset(["password", "passcode", "otp", "cvv", "cvc", "csc", "ssn", "pin"])
_NUMERIC_PAIRS = frozenset({("card", "number"), ("card", "no"), ("social", "security")})

# Each finds the secret as its group `secret`; what leads up to it stays readable. A repeat is
# bounded, or none begins inside it, so that a long text costs its length and not its square.
_SECRET_TEXTS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?P<secret>-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}-----)?)",
        r"(?P<secret>(?<![\w-])eyJ[\w-]{8,}\.[\w-]{4,}\.[\w-]*)",
        r"(?i:\b(?:bearer|basic)\s{1,4})(?P<secret>[\w.~+/=-]{12,})",
        r"(?P<secret>\bedk_[A-Za-z0-9][\w.-]{0,200}_[A-Za-z0-9]{32,256}\b)",
        r"(?P<secret>(?<![\w-])(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_]){0,3}[A-Za-z0-9_-]{16,})",
        r"(?P<secret>\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}))",
        r"(?P<secret>\bxox[a-z]-[A-Za-z0-9-]{10,})",
        r"(?P<secret>\b(?:AKIA|ASIA)[A-Z0-9]{16}\b)",
        r"(?P<secret>\bAIza[\w-]{30,})",
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,30}://[^\s/:@]{0,200}:(?P<secret>[^\s/@]{1,200})@",
        r"(?i:\b(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|client[_-]?secret)"
        r"[\"']?\s{0,4}[=:]\s{0,4}[\"']?)(?P<secret>[^\s\"'&,;\[\]]{3,})",
    )
)
_CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")


def masked(value: Json) -> tuple[Json, int]:
    """The value with its secrets masked, and how many there were."""
    match value:
        case str():
            return masked_text(value)
        case list():
            items = [masked(item) for item in value]
            return [item for item, _ in items], sum(found for _, found in items)
        case dict():
            fields = {name: masked_field(name, item) for name, item in value.items()}
            return (
                {name: item for name, (item, _) in fields.items()},
                sum(found for _, found in fields.values()),
            )
        case _:
            return value, 0


def masked_field(name: str, value: Json) -> tuple[Json, int]:
    """Whatever a secret's name is given to is masked whole; what holds nothing is no secret."""
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return value, 0
    words = [word.lower() for word in _WORDS.findall(name[:200])]
    pairs = set(pairwise(words))
    if isinstance(value, int | float):
        secret = not _SECRET_NUMBERS.isdisjoint(words) or not _NUMERIC_PAIRS.isdisjoint(pairs)
    else:
        secret = not _SECRET_WORDS.isdisjoint(words) or not _SECRET_PAIRS.isdisjoint(pairs)
    return (MASK, 1) if secret else masked(value)


def masked_text(text: str) -> tuple[str, int]:
    found = 0
    for pattern in _SECRET_TEXTS:
        text, times = pattern.subn(_without_secret, text)
        found += times
    cards = 0

    def card(match: re.Match[str]) -> str:
        nonlocal cards
        if not _is_card(match[0]):
            return match[0]
        cards += 1
        return MASK

    text = _CARD.sub(card, text)
    return text, found + cards


def _without_secret(match: re.Match[str]) -> str:
    start, end = match.span("secret")
    whole, begin = match[0], match.start()
    return whole[: start - begin] + MASK + whole[end - begin :]


def _is_card(text: str) -> bool:
    """Luhn's sum, which one number in ten has by chance."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
