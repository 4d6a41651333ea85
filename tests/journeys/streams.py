"""An agent's end of a stream at wire level: a thread reads lines and queues events."""

import http.client
import json
import queue
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlencode

from tests.journeys.console import KEY, Console

PATIENCE = 60.0  # seconds to wait for an event

OLD = """\
apiVersion: edictum/v1
kind: ContractBundle
metadata: {{name: {name}}}
defaults: {{mode: enforce}}
contracts:
  - id: no-rm
    type: pre
    tool: shell
    when: {{args.command: {{contains: rm}}}}
    then: {{effect: deny, message: "{message}"}}
"""
NEW = """\
apiVersion: edictum/v1
kind: Ruleset
metadata: {{name: {name}}}
defaults: {{mode: enforce}}
rules:
  - id: no-rm
    type: pre
    tool: shell
    when: {{args.command: {{contains: rm}}}}
    then: {{action: block, message: "{message}"}}
"""


class Listener:
    def __init__(
        self,
        console: Console,
        *,
        key: str = KEY,
        agent: str = "a",
        path: str = "/v1/stream",
        query: dict[str, str] | None = None,
    ) -> None:
        address = console.url.removeprefix("http://")
        self._connection = http.client.HTTPConnection(address, timeout=PATIENCE)
        request = f"{path}?{urlencode(query)}" if query else path
        headers = {"Authorization": f"Bearer {key}", "X-Edictum-Agent-Id": agent}
        self._connection.request("GET", request, headers=headers)
        self._response = self._connection.getresponse()
        self.status = self._response.status
        self.kind = self._response.headers["Content-Type"].partition(";")[0]
        self.lines: list[str] = []
        self._reader: threading.Thread | None = None
        self._events: queue.Queue[tuple[str, Any]] = queue.Queue()
        if self.kind == "text/event-stream":
            self._reader = threading.Thread(target=self._read, daemon=True)
            self._reader.start()

    def refusal(self) -> dict[str, Any]:
        refused: dict[str, Any] = json.loads(self._response.read())
        return refused

    def next(self, name: str = "") -> dict[str, Any]:
        """Data of the next event, or of the next one with this name."""
        while True:
            result, data = self._events.get(timeout=PATIENCE)
            if result == "":
                raise EOFError("the stream has ended")
            if name in ("", result):
                return {"event": result, **data}

    def heard(self) -> list[str]:
        """Names of the events received and not read yet."""
        names = []
        while not self._events.empty():
            names.append(self._events.get()[0])
        return names

    def ends(self) -> str:
        """Wait for the end of the stream and return how it ended."""
        while True:
            result, data = self._events.get(timeout=PATIENCE)
            if result == "":
                return str(data)

    def close(self) -> None:
        if self._reader is not None and self._connection.sock is not None:
            with suppress(OSError):  # it ended in the meantime
                self._connection.sock.shutdown(socket.SHUT_RDWR)  # wakes the reader
            self._reader.join(PATIENCE)
        self._connection.close()

    def _read(self) -> None:
        name, how = "", "finished"
        try:
            while raw := self._response.readline():
                line = raw.decode().removesuffix("\n")
                self.lines.append(line)
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    self._events.put((name, json.loads(line.removeprefix("data: "))))
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            how = type(error).__name__  # AttributeError: closed by this side while reading
        self._events.put(("", how))


@contextmanager
def listening(console: Console, **how: Any) -> Iterator[Listener]:
    listener = Listener(console, **how)
    try:
        yield listener
    finally:
        listener.close()


def save(console: Console, name: str, message: str = "no", *, dialect: str = NEW) -> int:
    text = dialect.format(name=name, message=message)
    status, answer = console.ask("POST", "contracts", json.dumps({"yaml": text}).encode())
    assert status in (200, 201), answer
    return int(answer["version"])


def deploy(console: Console, name: str, message: str = "no", *, env: str = "production") -> int:
    version = save(console, name, message)
    body = json.dumps({"version": version, "env": env}).encode()
    status, answer = console.ask("POST", f"contracts/{name}/deployments", body)
    assert status in (200, 201), answer
    return version


def assign(console: Console, bundle: str, *, env: str, **rule: Any) -> None:
    body = json.dumps({"bundle_name": bundle, "env": env, **rule}).encode()
    status, answer = console.ask("PUT", "assignments", body)
    assert status in (200, 201), answer


def new_key(console: Console, **fields: Any) -> str:
    body = json.dumps({"name": "k", "env": "production", "scopes": ["agent"], **fields}).encode()
    status, answer = console.ask("POST", "keys", body)
    assert status == 201, answer
    return str(answer["key"])
