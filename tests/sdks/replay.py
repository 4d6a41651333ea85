"""Replays a client's recorded requests against a running console and checks the responses.

In the fixtures, text in angle brackets is a placeholder for an unpredictable value, and `{name}` is
a value from an earlier response. Fields that a fixture doesn't list are not checked, since clients
ignore them."""

import base64
import gzip
import hashlib
import http.client
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.journeys.console import KEY, Console
from tests.sdks.agents import a_key, answer_of, deploy

PATIENCE = 60.0  # seconds
IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
STRICT = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
LONGEST_LINE = 1_000_000
DOCUMENT = """\
apiVersion: edictum/v1
kind: Ruleset
metadata: {{name: {name}}}
defaults: {{mode: enforce}}
rules:  # {edition}
  - id: no-rm
    type: pre
    tool: shell
    when: {{args.command: {{contains: rm}}}}
    then: {{action: block, message: "nö"}}
"""


class Client:
    """Client from a fixture, in a separate environment."""

    def __init__(self, console: Console, written: dict[str, Any]) -> None:
        self.written = written
        self._console = console
        self._address = console.url.removeprefix("http://")
        self._key = a_key(console, written["client"], env=written["env"], **written["key"])
        self._known: dict[str, str] = {}
        self._editions = 0

    def deploy(self) -> None:
        self._editions += 1
        text = DOCUMENT.format(name=self.written["bundle"], edition=self._editions)
        deploy(self._console, text, env=self.written["env"])

    def assign(self) -> None:
        rule = {"bundle_name": self.written["bundle"], "env": self.written["env"]}
        answer_of(self._console, "PUT", "assignments", **rule)

    def say(self, exchange: dict[str, Any]) -> None:
        """Send one request and check everything in the response that the client relies on."""
        request = {**exchange["request"], "path": self._filled(exchange["request"]["path"])}
        with self._asking(request, self._headers(exchange)) as answer:
            body = answer.read()
            if answer.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
        assert answer.status == exchange["response"]["status"], body
        # Python's client doesn't follow redirects, and parses every successful response.
        assert answer.headers["Content-Type"].partition(";")[0] == "application/json"
        result = json.loads(body)
        assert isinstance(result, dict)
        self._compare(result, exchange["response"].get("body", {}), "answer")
        for name, field in exchange.get("keep", {}).items():
            self._known[name] = result[field]

    def listen(self, stream: dict[str, Any]) -> None:
        """Open a stream and check its messages; an operator's action triggers each of them."""
        request = {"method": "GET", **stream["request"]}
        headers = {**self._headers({}), **stream["request"].get("headers", {})}
        with self._asking(request, headers) as answer:
            assert answer.status == 200, answer.read()
            assert answer.headers["Content-Type"].partition(";")[0] == "text/event-stream"
            assert answer.headers["Content-Encoding"] is None
            events = (each for each in _events(answer) if each[0] in stream["reads"])
            for awaited in stream["then"]:
                if meanwhile := awaited.get("on"):
                    {"deploy": self.deploy, "assign": self.assign}[meanwhile]()
                name, data = next(events)
                assert name == awaited["event"]
                self._compare(data, awaited["data"], name)

    def recorded(self) -> list[dict[str, Any]]:
        """Events that the console recorded for this environment, sorted by timestamp."""
        reads = a_key(self._console, "reads", env=self.written["env"], scopes=["agent", "read"])
        status, result = self._console.ask("GET", "events?limit=1000&wait=20", key=reads)
        assert (status, result["settled"]) == (200, True)
        mine = [event for event in result["events"] if event["environment"] == self.written["env"]]
        return sorted(mine, key=lambda event: str(event["timestamp"]))

    def calls(self) -> dict[str, dict[str, Any]]:
        result = self._console.settled(f"outcomes?env={self.written['env']}&limit=1000")
        return {call["call_id"]: call for call in result["outcomes"]}

    def _headers(self, exchange: dict[str, Any]) -> dict[str, str]:
        if exchange.get("without_key"):
            return dict(self.written["headers"])
        key = KEY if exchange.get("by") == "operator" else self._key
        named = {"X-Edictum-Agent-Id": self.written["agent"]} if self.written["agent"] else {}
        named = {} if exchange.get("by") == "operator" else named
        return {**self.written["headers"], "Authorization": f"Bearer {key}", **named}

    @contextmanager
    def _asking(
        self, request: dict[str, Any], headers: dict[str, str]
    ) -> Iterator[http.client.HTTPResponse]:
        connection = http.client.HTTPConnection(self._address, timeout=PATIENCE)
        body = json.dumps(request["body"]).encode() if "body" in request else None
        try:
            # Send the path exactly as recorded, since its encoding is the client's.
            connection.putrequest(
                request["method"],
                request["path"],
                skip_accept_encoding="Accept-Encoding" in headers,
            )
            for name, value in headers.items():
                connection.putheader(name, value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            yield connection.getresponse()
        finally:
            connection.close()

    def _filled(self, text: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda match: self._known[match[1]], text)

    def _compare(self, result: Any, awaited: Any, where: str) -> None:
        if isinstance(awaited, dict):
            for name, value in awaited.items():
                if value == "<absent>":
                    assert result.get(name) is None, where
                else:
                    self._compare(result[name], value, f"{where}.{name}")
        elif isinstance(awaited, str) and re.fullmatch(r"<.+>", awaited):
            assert self._is(result, awaited[1:-1]), f"{where}: {result!r} is no {awaited}"
        else:
            if isinstance(awaited, str):
                awaited = self._filled(awaited) if re.fullmatch(r"\{\w+\}", awaited) else awaited
            # Compare types too, because True == 1 in Python.
            assert (type(result), result) == (type(awaited), awaited), where

    def _is(self, result: Any, what: str) -> bool:
        document = self._document()
        match what:
            case "text":
                return isinstance(result, str) and result != ""
            case "identifier":
                return IDENTIFIER.fullmatch(result) is not None
            case "document":
                return bool(result == document.decode())
            case "base64 of the document":
                return _strictly(result) == document
            case "sha256 of the document":
                return bool(result == hashlib.sha256(document).hexdigest())
            case "base64 of 64 bytes":
                return len(_strictly(result)) == 64
            case "hex of 32 bytes":
                return re.fullmatch(r"[0-9a-f]{64}", result) is not None
            case _:
                raise AssertionError(f"Nothing is known of <{what}>")

    def _document(self) -> bytes:
        """Deployed document for this client, in its format, byte for byte."""
        text = DOCUMENT.format(name=self.written["bundle"], edition=self._editions)
        if self.written["kind"] == "ContractBundle":
            for new, old in (
                ("kind: Ruleset", "kind: ContractBundle"),
                ("rules:", "contracts:"),
                ("{action: block", "{effect: deny"),
            ):
                text = text.replace(new, old)
        return text.encode()


def _strictly(text: str) -> bytes:
    """Decode base64 with the standard alphabet and padding, as Go and TypeScript require."""
    assert STRICT.fullmatch(text), text
    return base64.b64decode(text, validate=True)


def _events(answer: http.client.HTTPResponse) -> Iterator[tuple[str, dict[str, Any]]]:
    """Events of a stream, parsed as strictly as Go's client does: one line per field, one space
    after the colon, and a maximum line length."""
    name = ""
    while raw := answer.readline():
        line = raw.decode()
        assert line.endswith("\n")
        assert len(raw) < LONGEST_LINE
        if line.startswith("event: "):
            name = line.removeprefix("event: ").rstrip("\n")
            assert re.fullmatch(r"[a-z_]+", name), line
        elif line.startswith("data: "):
            data = json.loads(line.removeprefix("data: "))
            assert isinstance(data, dict)
            yield name, data
        else:
            assert line == "\n" or line.startswith(": "), line
    raise AssertionError("The stream has ended")
