"""Output of a command: readable lines or one JSON document, with keys masked."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any, TextIO

MOST = 20  # entries listed without --json
_ANY_KEY = re.compile(r"\bedk_[A-Za-z0-9._-]*_[A-Za-z0-9]{20,}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Output:
    """Printer of one run. With `as_json`, only `document` writes to standard output."""

    def __init__(self, key: str = "", *, as_json: bool = False) -> None:
        self.key = key
        self.as_json = as_json

    def say(self, line: str) -> None:
        if not self.as_json:
            self._write(sys.stdout, _CONTROL.sub("�", line))

    def listed(self, lines: list[str], number: int | None = None) -> None:
        number = len(lines) if number is None else number
        for line in lines[:MOST]:
            self.say(f"    {line}")
        if number > MOST:
            self.say(f"    and {number - MOST} more")

    def problem(self, line: str) -> None:
        self._write(sys.stderr, _CONTROL.sub("�", line))

    def document(self, value: Mapping[str, Any]) -> None:
        self._write(sys.stdout, json.dumps(value, ensure_ascii=False))

    def _write(self, stream: TextIO, text: str) -> None:
        if self.key:
            text = text.replace(self.key, "[key]")
        text = _ANY_KEY.sub("[key]", text)
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
        stream.flush()
