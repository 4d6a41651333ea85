"""A load with planted secrets, and every text stored from it."""

import base64
import io
import itertools
import re
import sqlite3
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from django.apps import apps

from edictum_site.backup.archive import entries
from outcomes.core import artifact_store
from outcomes.record.codec import text_of

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_ZSTD = b"\x28\xb5\x2f\xfd"
LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"
_BYTEA = re.compile(rb"\\\\x([0-9a-f]{8,})")


class Planting:
    """Generates secrets of every format and records each one."""

    def __init__(self, seed: int = 17) -> None:
        self._random = Random(seed)  # noqa: S311 - the same in each run
        self.secrets: list[str] = []
        makers = (self._sk, self._github, self._slack, self._jwt, self._key, self._card, self._mail)
        self._makers = itertools.cycle((*makers, self._iban, self._badge, self._aws, self._url))

    def next(self) -> str:
        """Text with one more secret in it."""
        return next(self._makers)()

    def password(self) -> str:
        """Secret that only its field name identifies as one."""
        return self._noted("pw" + self._letters(12))

    def _noted(self, secret: str) -> str:
        self.secrets.append(secret)
        return secret

    def _letters(self, number: int) -> str:
        return "".join(self._random.choices(LETTERS, k=number))

    def _sk(self) -> str:
        return self._noted(f"sk-{self._letters(24)}")

    def _github(self) -> str:
        return self._noted(f"ghp_{self._letters(30)}")

    def _slack(self) -> str:
        return self._noted(f"xoxb-{self._letters(20)}")

    def _aws(self) -> str:
        return self._noted(f"AKIA{self._letters(16).upper()}")

    def _jwt(self) -> str:
        return self._noted(f"eyJ{self._letters(20)}.{self._letters(30)}.{self._letters(20)}")

    def _key(self) -> str:
        secret = self._noted(self._letters(64))
        return f"-----BEGIN PRIVATE KEY-----\n{secret}\n-----END PRIVATE KEY-----"

    def _card(self) -> str:
        digits = "4" + "".join(self._random.choices("0123456789", k=14))
        return self._noted(digits + check_digit(digits))

    def _mail(self) -> str:
        return self._noted(f"{self._letters(10)}@{self._letters(8)}.example")

    def _iban(self) -> str:
        account = "".join(self._random.choices("0123456789", k=18))
        rest = 98 - int(f"{account}131400") % 97
        return self._noted(f"DE{rest:02}{account}")

    def _badge(self) -> str:
        number = "".join(self._random.choices("0123456789", k=9))
        return self._noted(f"BADGE-{number}")

    def _url(self) -> str:
        return f"postgres://app:{self._noted(self._letters(14))}@db.internal/x"


def check_digit(digits: str) -> str:
    odd = [sum(divmod(2 * int(digit), 10)) for digit in digits[-1::-2]]
    even = [int(digit) for digit in digits[-2::-2]]
    return str(-(sum(odd) + sum(even)) % 10)


def stored_texts() -> Iterator[bytes]:
    """Every value of every table, unpacked, and every artifact."""
    for model in apps.get_models():
        for row in model._default_manager.values_list().iterator():
            for value in row:
                yield from unpacked(value)
    for project, name in artifact_store.stored_names():
        with artifact_store.Reader(project, name) as reader:
            yield b"".join(reader.bytes_of(0, reader.size_bytes))


def unpacked(value: Any) -> Iterator[bytes]:
    """A stored value as bytes, raw and decompressed."""
    if not isinstance(value, bytes | memoryview | bytearray):
        yield str(value).encode("utf-8", "replace")
        return
    content = bytes(value)
    yield content
    unpackers: tuple[Callable[[bytes], bytes], ...] = (zlib.decompress, text_of, _all_frames)
    for unpack in unpackers:
        try:
            yield unpack(content)
        except (zlib.error, zstd.ZstdError, EOFError):
            continue


def _all_frames(content: bytes) -> bytes:
    place = content.find(_ZSTD)
    return zstd.decompress(content[place:]) if place >= 0 else b""


def texts_of_backup(file: Path, scratch: Path) -> Iterator[bytes]:
    """Every artifact and row of a backup. A SQLite database is opened as such."""
    database = io.BytesIO()
    for entry in entries(file):
        part = entry.part()
        if part is not None:
            database.write(part)
        yield from unpacked(entry.read() if part is None else part)
    dump = database.getvalue()
    assert dump
    yield dump
    if dump.startswith(b"SQLite format 3"):
        copy = scratch / "copy.sqlite3"
        copy.write_bytes(dump)
        yield from _rows_of(copy)
    for match in _BYTEA.finditer(dump):
        yield from unpacked(bytes.fromhex(match[1].decode()[: len(match[1]) // 2 * 2]))


def _rows_of(copy: Path) -> Iterator[bytes]:
    connection = sqlite3.connect(copy)
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in tables:
        for row in connection.execute(f'SELECT * FROM "{table}"'):  # noqa: S608 - its own names
            for value in row:
                yield from unpacked(value)
    connection.close()


def leaked(secrets: list[str], texts: Iterator[bytes]) -> set[str]:
    """Secrets contained in one of the texts, plain or encoded in hexadecimal or Base64."""
    forms = {form: secret for secret in secrets for form in _forms(secret)}
    pattern = re.compile(b"|".join(map(re.escape, forms)))
    return {forms[each] for text in texts for each in pattern.findall(text)}


def _forms(secret: str) -> Iterator[bytes]:
    plain = secret.encode()
    yield plain
    yield plain.hex().encode()
    yield base64.b64encode(plain)
