"""Drill on three hosts: post, disconnect one host, kill another for good, and compare all data."""

import http.client
import json
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from edictum_site.stack.running import Product
from tests.hosts.clock import skewed_clock
from tests.hosts.installation import Installation
from tests.hosts.jobs import Jobs
from tests.hosts.load import Upload, disordered, outputs_of, reference, uploads
from tests.hosts.network import HUB, Host, bridged
from tests.hosts.servers import bucket_at, postgres_at, redis_at
from tests.journeys.console import KEY, VARIABLES
from tests.kill.load import Load
from tests.kill.posting import Broken, Poster
from tests.stored import stored_by

PORT: Final = 8000
CLIENTS: Final = 4
CUT_AT, KILLED_AT = 0.25, 0.6  # shares of the posts
TO_SETTLE: Final = 400.0  # seconds
AHEAD: Final = 90  # seconds
ROLES: Final = (
    (("web",), ("worker", "--queues", "settle")),
    (("web",), ("worker", "--queues", "bulk")),
    (("worker", "--queues", "settle,interactive,bulk"), ("scheduler",)),
)


@dataclass(slots=True)
class Report:
    seconds: float = 0.0
    posts: int = 0
    calls: int = 0
    repeats: int = 0
    cut_off: float = 0.0
    clock: str = ""
    jobs: dict[str, int] = field(default_factory=dict)
    artifacts: int = 0
    stored: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


class Webs:
    """Addresses of the web processes by turns, without those on killed hosts."""

    def __init__(self, hosts: list[Host]) -> None:
        self.alive = [host.address for host in hosts]
        self._turn = 0

    def __call__(self) -> tuple[str, int]:
        self._turn += 1
        return self.alive[self._turn % len(self.alive)], PORT


def drill(folder: Path, *, items: int, cut_off: float, seed: int) -> Report:
    """Run the drill. Needs a separate network namespace: see `__main__`."""
    began, report = time.monotonic(), Report(cut_off=cut_off)
    with ExitStack() as stack:
        hosts = stack.enter_context(bridged(len(ROLES)))
        server = stack.enter_context(postgres_at(HUB, folder / "postgres"))
        broker = stack.enter_context(redis_at(HUB, folder / "redis"))
        shared = {"DATABASE_URL": server, "REDIS_URL": broker, "EDICTUM_SITE_SECRET_KEY": "k" * 50}
        bucket = stack.enter_context(bucket_at(HUB))
        made = Installation(folder, VARIABLES | shared | bucket)
        stack.callback(made.stop)
        made.manage("migrate")
        products = _start(made, hosts, report)
        load = disordered(items, seed)
        uploaded = uploads(load)
        webs = Webs(hosts[:2])
        _run(hosts, products, webs, load, uploaded, report)
        report.problems += _wrong_over_http(webs, load, uploaded, report)
        made.stop()
        report.stored = stored_by(made.data("admin"), made.environment("admin"))
    report.problems += _wrong_in_store(load, report.stored)
    report.seconds = time.monotonic() - began
    return report


def _start(made: Installation, hosts: list[Host], report: Report) -> list[list[Product]]:
    products = []
    skewed = skewed_clock(AHEAD, made.folder)
    report.clock = f"{AHEAD} s ahead" if skewed else "right, as there is no C compiler"
    for number, (host, roles) in enumerate(zip(hosts, ROLES, strict=True)):
        more = {"HOST": host.address, "PORT": str(PORT)} | (skewed if number == 2 else {})
        name = f"host{number}"
        started = [made.start(name, *role, before=host.inside, more=more) for role in roles]
        products.append(started)
    for product in made.products:
        product.wait_until_served()
    return products


def _run(
    hosts: list[Host],
    products: list[list[Product]],
    webs: Webs,
    load: Load,
    uploaded: list[Upload],
    report: Report,
) -> None:
    """Upload and post; meanwhile, disconnect the second host for a while and kill the first one."""
    for upload in uploaded:
        _upload(webs, upload)
    posts = [*load.posts, *map(reference, uploaded)]
    poster, jobs = Poster(posts, webs, KEY), Jobs(webs)
    poster.start(CLIENTS)
    jobs.start()
    poster.let(len(posts))
    poster.wait_for(int(len(posts) * CUT_AT))
    hosts[1].cut_off()
    time.sleep(report.cut_off)
    hosts[1].connect()
    poster.wait_for(int(len(posts) * KILLED_AT))
    webs.alive.remove(hosts[0].address)
    _lose(hosts[0], products[0])
    poster.wait_for(len(posts))
    jobs.finish()
    report.posts, report.calls = poster.acknowledged.posts, len(poster.acknowledged.calls)
    report.repeats = poster.acknowledged.repeats
    report.jobs = {f"{kind} {status}": count for (kind, status), count in jobs.ended.items()}
    report.problems += jobs.problems()
    if poster.acknowledged.calls != load.kinds.keys():
        report.problems.append("not every call was acknowledged")


def _lose(host: Host, products: list[Product]) -> None:
    """Kill a host as in a power failure: its connections go silent without being closed."""
    host.cut_off()
    for product in products:
        product.process.send_signal(signal.SIGKILL)
        product.process.wait()


def _upload(webs: Webs, upload: Upload) -> None:
    status, body = _ask(webs, "POST", "artifacts", upload.content)
    if status not in (200, 201) or json.loads(body)["artifact_id"] != upload.sha256:
        raise Broken(f"upload: {status}: {body[:300]!r}")


def _wrong_over_http(
    webs: Webs, load: Load, uploaded: list[Upload], report: Report
) -> Iterator[str]:
    _wait_until_settled(webs)
    shown_calls: dict[str, dict[str, Any]] = {}
    cursor, shown = "", 0
    while cursor is not None:
        page = _read(webs, f"outcomes?limit=1000&cursor={cursor}")
        shown += len(page["outcomes"])
        shown_calls |= {each["call_id"]: each for each in page["outcomes"]}
        cursor = page["next"]
    if shown != len(shown_calls):
        yield f"{shown - len(shown_calls)} calls were shown twice"
    yield from (f"{call} is lost" for call in load.kinds.keys() - shown_calls.keys())
    yield from (f"{call} was never posted" for call in shown_calls.keys() - load.kinds.keys())
    for call, body in shown_calls.items():
        should = load.kinds.get(call), load.verdicts.get(call)
        if (body["type"], body["verdict"]) != should:
            yield f"{call} is {body['type']}, {body['verdict']}; should be {should}"
    sessions = _read(webs, "agent-sessions?limit=1000")["sessions"]
    attempts = {each["session_id"]: each["counts"]["attempts"] for each in sessions}
    if attempts != dict(load.attempts):
        yield f"sessions count {attempts}, should count {dict(load.attempts)}"
    contents = outputs_of(load) | {each.call: each.content for each in uploaded}
    report.artifacts = len(contents)
    for call, content in contents.items():
        status, body = _ask(webs, "GET", f"artifacts/{shown_calls[call]['artifact_id']}")
        if status != 200 or body != content:
            yield f"the artifact of {call} is not what was sent: {status}"


def _wrong_in_store(load: Load, stored: dict[str, Any]) -> list[str]:
    should = {
        "waiting": 0,
        "rejected": 0,
        "events": load.events,
        "calls": len(load.kinds),
        "sessions": len(load.attempts),
    }
    wrong = [
        f"{name}: {stored[name]}, should be {right}"
        for name, right in should.items()
        if stored[name] != right
    ]
    return wrong + list(stored["differences"])


def _wait_until_settled(webs: Webs) -> None:
    until = time.monotonic() + TO_SETTLE
    while not _read(webs, "outcomes?limit=1&wait=20")["settled"]:
        if time.monotonic() > until:
            raise Broken("what was acknowledged is not settled")


def _read(webs: Webs, path: str) -> dict[str, Any]:
    status, body = _ask(webs, "GET", path)
    if status != 200:
        raise Broken(f"{path}: {status}: {body[:500]!r}")
    answer: dict[str, Any] = json.loads(body)
    return answer


def _ask(webs: Webs, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(*webs(), timeout=60)
    try:
        connection.request(method, f"/v1/{path}", body, {"Authorization": f"Bearer {KEY}"})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
