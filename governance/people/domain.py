"""API keys: their format, `edk_<environment>_<random>`, and their scopes."""

import hashlib
import ipaddress
import re
import secrets
import string
from collections.abc import Sequence
from enum import StrEnum
from functools import lru_cache

from governance.core.numbers import ID_DIGITS, parse_number
from governance.matching.globs import glob_matches

LETTERS = string.ascii_letters + string.digits
RANDOM_LENGTH = 40
AN_AGENT = "my-agent"
SHOWN = 4  # characters of the random part that a key's hint shows

# Greedy: an environment name may contain `_` but the random part can't, so the last one separates.
_KEY = re.compile(r"edk_([A-Za-z0-9][A-Za-z0-9._-]{0,127})_([A-Za-z0-9]{32,256})")
KEY_PREFIX = b"edk_"
_KEY_IN_DATA = re.compile(rb"edk_[A-Za-z0-9][A-Za-z0-9._-]{0,127}_[A-Za-z0-9]{32,256}")
_AGENT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")  # as SDKs name theirs
_BEARER = re.compile(r"[Bb]earer +(\S+) *")


class Scope(StrEnum):
    AGENT = "agent"
    INGEST = "ingest"
    READ = "read"
    MANAGE = "manage"


def new_key(environment: str) -> str:
    random = "".join(secrets.choice(LETTERS) for _ in range(RANDOM_LENGTH))
    return f"edk_{environment}_{random}"


def environment_of(key: str) -> str | None:
    """Environment named in a key, or None if the text is not a key."""
    match = _KEY.fullmatch(key)
    return match[1] if match else None


def digest_of(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).digest()


def hint_of(key: str) -> str:
    head, _, random = key.rpartition("_")
    return f"{head}_{random[:SHOWN]}…"


def agent_within(glob: str) -> str:
    """Example agent name that matches a key's glob, for usage instructions."""
    if not glob or glob_matches(glob, AN_AGENT):
        return AN_AGENT
    name = re.sub(r"[*?]", "1", glob)
    return name if _AGENT.fullmatch(name) else AN_AGENT


def bearer(authorization: str) -> str | None:
    """API key in an `Authorization` header, or None."""
    match = _BEARER.fullmatch(authorization)
    return match[1] if match and _KEY.fullmatch(match[1]) else None


def with_implied(scopes: frozenset[str]) -> frozenset[str]:
    implied = set(scopes)
    if Scope.MANAGE in scopes:
        implied.add(Scope.READ)
    if Scope.AGENT in scopes:
        implied.add(Scope.INGEST)
    return frozenset(implied)


def without_keys(content: bytes) -> tuple[bytes, list[str]]:
    """Content with every API key replaced by its hint, and the keys found in it."""
    keys = [each.decode() for each in dict.fromkeys(_KEY_IN_DATA.findall(content))]
    if not keys:
        return content, keys
    return _KEY_IN_DATA.sub(lambda match: hint_of(match[0].decode()).encode(), content), keys


def network_of(text: str) -> str:
    """Network in CIDR form; an address becomes a network of one. Raises ValueError otherwise."""
    return str(ipaddress.ip_network(text.strip(), strict=False))


def is_within(address: str, networks: Sequence[str]) -> bool:
    """Whether a client address is in one of these networks. An unknown address is in none."""
    if not networks:
        return True
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped
    return any(parsed in _network(each) for each in networks)


@lru_cache(maxsize=1_024)
def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    return ipaddress.ip_network(text)


MANAGE_KEY = "manage_key_used_by_agent"  # open while agents use the key
KEYS_OF_MEMBER = "keys_end_with_their_maker"  # until the keys end or their creator is an admin
KEY_EXPIRES = "key_expires"
KEY_IN_DATA = "key_sent_as_data"


def subject_of_key(key_id: int, name: str) -> str:
    return f"{name} (key {key_id})"


def key_of(subject: str) -> int | None:
    """Key id in the subject of an alert, or None."""
    return parse_number(subject.rpartition(" (key ")[2].removesuffix(")"), ID_DIGITS)
