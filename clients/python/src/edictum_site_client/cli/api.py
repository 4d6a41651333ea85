"""Requests to the console's HTTP API, with retries, and its errors as exceptions."""

from __future__ import annotations

import http.client
import json
import ssl
import time
from typing import Any
from urllib.parse import quote, urlencode

from edictum_site_client.transport import File, Transport

TIMEOUT = 30.0  # seconds of silence
BUSY = (429, 502, 503, 504)
PAUSES = (1.0, 2.0, 4.0, 8.0)
GATES = frozenset(("invalid_document", "invalid_call", "evaluation_limit"))


class Stop(Exception):
    """The command cannot be carried out: wrong usage, or no answer from a console."""


class Refusal(Exception):
    """An error that the console answered with."""

    def __init__(self, status: int, answer: Any) -> None:
        known = answer if isinstance(answer, dict) else {}
        self.status = status
        self.code = str(known.get("code", ""))
        self.detail = str(known.get("detail") or f"HTTP {status}")
        self.errors: list[dict[str, Any]] = list(known.get("errors") or ())
        super().__init__(self.detail)

    @property
    def is_gate(self) -> bool:
        """Whether the request was understood, and what it sent or requested was not good enough."""
        return self.status == 409 or self.code in GATES

    def as_result(self) -> dict[str, Any]:
        return {"code": self.code, "detail": self.detail, "errors": self.errors}


class Api:
    """One console and one key."""

    def __init__(self, url: str, key: str, *, allow_insecure: bool = False) -> None:
        if not url:
            raise Stop("No console. Set EDICTUM_SITE_URL, or add --url.")
        if not key:
            raise Stop("No API key. Set EDICTUM_SITE_KEY, or add --key-file.")
        if not key.isascii() or not key.isprintable() or " " in key:
            raise Stop("The API key has characters that no key has.")
        if not url.startswith(("http://", "https://")):
            raise Stop("The address of the console does not start with http:// or https://.")
        headers = {"Authorization": f"Bearer {key}", "User-Agent": "edictum-site-cli"}
        try:
            self._transport = Transport(
                url, headers, timeout=TIMEOUT, allow_insecure=allow_insecure
            )
        except ValueError as error:
            raise Stop(
                "The address of the console needs https, as the key would be sent in the clear."
                " Use https, or add --allow-insecure."
                if url.startswith("http://")
                else "The address of the console has no host name."
            ) from error
        self._answered = False  # so far

    def get(self, *path: str, **query: Any) -> Any:
        return self._answer("GET", _path(path, query), None)

    def post(self, *path: str, **body: Any) -> Any:
        return self._answer("POST", _path(path, {}), body)

    def put(self, *path: str, **body: Any) -> Any:
        return self._answer("PUT", _path(path, {}), body)

    def delete(self, *path: str) -> Any:
        return self._answer("DELETE", _path(path, {}), None)

    def _answer(self, method: str, path: str, body: Any) -> Any:
        content = None if body is None else json.dumps(body).encode()
        file = self._patiently(method, path, content)
        try:
            answer = json.loads(file.body) if file.body else None
        except ValueError as error:
            raise Stop(
                f"The answer (HTTP {file.status}) is not that of a console. Check its address."
            ) from error
        self._answered = True
        if not 200 <= file.status < 300:
            raise Refusal(file.status, answer)
        return answer

    def _patiently(self, method: str, path: str, content: bytes | None) -> File:
        """The answer, after a few tries where the console is busy or restarts."""
        for pause in PAUSES:
            try:
                file = self._transport.request(method, path, content)
                if file.status not in BUSY:
                    return file
            except (OSError, http.client.HTTPException) as error:
                # A first request that fails is more likely a wrong address than a restart.
                if not self._answered or isinstance(error, ssl.SSLCertVerificationError):
                    raise _unreachable(error) from error
            time.sleep(pause)
        try:
            return self._transport.request(method, path, content)
        except (OSError, http.client.HTTPException) as error:
            raise _unreachable(error) from error


def _unreachable(error: Exception) -> Stop:
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return Stop(f"The console cannot be reached: {reason}.")


def _path(parts: tuple[str, ...], query: dict[str, Any]) -> str:
    path = "/".join(quote(part, safe="") for part in parts)
    known = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{path}?{urlencode(known)}" if known else path
