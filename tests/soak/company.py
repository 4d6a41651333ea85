"""Clients of a console during the soak: SDKs with counters, agents on streams, and a user."""

import asyncio
import contextlib
import http.client
import json
import random
import threading
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode

from tests.journeys.console import EMAIL, PASSWORD
from tests.kill.reading import Address

Where = Callable[[], Address]
PATIENCE = 20.0  # seconds to wait for a response
PAGES = (
    *("overview/", "calls/", "sessions/", "tools/", "denials/", "agents/", "approvals/"),
    *("artifacts/", "alerts/", "contracts/", "principals/", "sessions/session-1/"),
)
SIGN_IN = "/account/sign-in/"


@dataclass
class Heard:
    """Responses by status, their latencies, and the number of requests without a response."""

    statuses: Counter[int] = field(default_factory=Counter)
    silent: int = 0
    seconds: list[float] = field(default_factory=list)

    def request(
        self, where: Where, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, bytes, list[str]]:
        """Send a request; the status is 0 if there was no response."""
        began = time.monotonic()
        connection = http.client.HTTPConnection(*where(), timeout=PATIENCE)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException):
            self.silent += 1
            return 0, b"", []
        finally:
            connection.close()
        self.statuses[answer.status] += 1
        self.seconds.append(time.monotonic() - began)
        return answer.status, content, answer.headers.get_all("Set-Cookie", [])


class Member(threading.Thread, ABC):
    """Thread that repeats one action until it is stopped."""

    pause = 0.2

    def __init__(self, where: Where, key: str) -> None:
        super().__init__(daemon=True)
        self.where, self.heard = where, Heard()
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.failed: Exception | None = None
        self._over = threading.Event()

    def run(self) -> None:
        try:
            while not self._over.wait(self.pause):
                self.act()
        except Exception as error:  # noqa: BLE001 - the soak ends with it
            self.failed = error

    @abstractmethod
    def act(self) -> None:
        """Perform the action once."""

    def stop(self) -> None:
        self._over.set()
        self.join(60)

    def ask(self, method: str, path: str, body: object = None, key: str = "") -> tuple[int, bytes]:
        sent = None if body is None else json.dumps(body).encode()
        headers = self.headers | ({"Authorization": f"Bearer {key}"} if key else {})
        return self.heard.request(self.where, method, f"/v1/{path}", sent, headers)[:2]


class Counting(Member):
    """Client that increments session counters; every acknowledged increment must be stored."""

    SESSIONS = 8

    def __init__(self, where: Where, key: str, seed: int) -> None:
        super().__init__(where, key)
        self.acknowledged: Counter[str] = Counter()
        self.unsure: Counter[str] = Counter()  # unacknowledged, so possibly counted
        self._chance = random.Random(seed)  # noqa: S311 - repeatable on purpose

    def act(self) -> None:
        key = f"soak-{self._chance.randrange(self.SESSIONS)}"
        status, _ = self.ask("POST", f"sessions/{key}/increment", {"amount": 1})
        (self.acknowledged if status == 200 else self.unsure)[key] += 1

    def wrong(self, others: Sequence["Counting"]) -> Iterator[str]:
        """Counters with a wrong final value. Clients share counters, so one checks for all."""
        every = [self, *others]
        least = sum((each.acknowledged for each in every), Counter[str]())
        unsure = sum((each.unsure for each in every), Counter[str]())
        for key in least | unsure:
            status, content = self.ask("GET", f"sessions/{key}")
            value = int(json.loads(content)["value"]) if status == 200 else 0
            if not least[key] <= value <= least[key] + unsure[key]:
                yield f"{key} is {value}, should be {least[key]} to {least[key] + unsure[key]}"


class Reading(Member):
    """Signed-in user who keeps opening pages."""

    pause = 0.8

    def __init__(self, where: Where, key: str, seed: int) -> None:
        super().__init__(where, key)
        self._cookies: dict[str, str] = {}
        self._chance = random.Random(seed)  # noqa: S311 - repeatable on purpose

    def act(self) -> None:
        if "sessionid" not in self._cookies:
            self._page("GET", SIGN_IN)
            self._page("POST", SIGN_IN, {"login": EMAIL, "password": PASSWORD})
        self._page("GET", f"/p/default/{self._chance.choice(PAGES)}")

    def _page(self, method: str, path: str, fields: dict[str, str] | None = None) -> None:
        headers = {
            "Content-Type": "application/x-www-form-urlencoded",
            "Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items()),
            "X-CSRFToken": self._cookies.get("csrftoken", ""),
        }
        body = urlencode(fields or {}).encode()
        for header in self.heard.request(self.where, method, path, body, headers)[2]:
            self._cookies |= {name: each.value for name, each in SimpleCookie(header).items()}


class Streams(threading.Thread):
    """Agents that each hold a stream open and reconnect when it ends."""

    def __init__(self, where: Where, key: str, count: int) -> None:
        super().__init__(daemon=True)
        self.where, self.key, self.count = where, key, count
        self.statuses: Counter[int] = Counter()
        self.opened = 0
        self.version = [0] * count  # by agent
        self._loop: asyncio.AbstractEventLoop | None = None
        self._holding: asyncio.Future[list[None]] | None = None

    def run(self) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            asyncio.run(self._hold_all())

    def stop(self) -> None:
        if self._loop and self._holding:
            self._loop.call_soon_threadsafe(self._holding.cancel)
        self.join(20)

    def all_have(self, version: int, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while any(each < version for each in self.version) and time.monotonic() < until:
            time.sleep(0.1)
        return all(each >= version for each in self.version)

    async def _hold_all(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._holding = asyncio.gather(*(self._hold(number) for number in range(self.count)))
        await self._holding

    async def _hold(self, number: int) -> None:
        while True:
            with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
                await self._hold_one(number)
            await asyncio.sleep(0.5 + number / self.count)  # not all at once

    async def _hold_one(self, number: int) -> None:
        host, port = self.where()
        reader, writer = await asyncio.open_connection(host, port)
        try:
            writer.write(
                "GET /v1/stream?env=production&bundle_name=soak HTTP/1.1\r\n"
                f"Host: {host}:{port}\r\nAuthorization: Bearer {self.key}\r\n"
                f"X-Edictum-Agent-Id: stream-{number}\r\n\r\n".encode()
            )
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
            status = int(head.split()[1])
            self.statuses[status] += 1
            self.opened += status == 200
            while status == 200 and (line := await reader.readline()):
                if line.startswith(b"data: ") and b'"yaml_bytes"' in line:
                    self.version[number] = int(json.loads(line[6:])["version"])
        finally:
            writer.close()
