"""Client of the console's HTTP API with a key and one persistent connection."""

import http.client
import json
from typing import Any, Final
from urllib.parse import urlsplit

PATIENCE: Final = 60.0  # seconds to wait for a response


class DoorRefused(Exception):
    """The console answered with an error, which the message contains."""


class Door:
    def __init__(self, url: str, key: str, agent: str = "") -> None:
        self.url, self.key = url, key
        parts = urlsplit(url)
        secure = parts.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        self._connection = kind(parts.netloc, timeout=PATIENCE)
        self._path = parts.path.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        if agent:
            self._headers["X-Edictum-Agent-Id"] = agent

    def ask(self, method: str, path: str, body: object = None) -> Any:
        return json.loads(self._answer(method, path, json.dumps(body).encode() if body else None))

    def upload(self, content: bytes, media_type: str) -> Any:
        headers = {"Content-Type": media_type}
        return json.loads(self._answer("POST", "artifacts", content, headers))

    def close(self) -> None:
        self._connection.close()

    def _answer(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str] | None = None
    ) -> bytes:
        all_headers = self._headers | (headers or {})
        try:
            self._connection.request(method, f"{self._path}/v1/{path}", body, all_headers)
            answer = self._connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionResetError):
            # The idle connection was closed. Requests are idempotent, so sending again is safe.
            self._connection.close()
            self._connection.request(method, f"{self._path}/v1/{path}", body, all_headers)
            answer = self._connection.getresponse()
        content = answer.read()
        if answer.status >= 400:
            words = content[:500].decode(errors="replace")
            raise DoorRefused(f"{method} {path} was answered with {answer.status}: {words}")
        return content
