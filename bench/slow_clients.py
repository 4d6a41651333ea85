"""Clients of what takes long: validations of a large contract, and exports read slowly."""

import http.client
import json
import re
import secrets
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache

from bench.editor import Browser
from bench.site import Site

EXPORTS_OF_A_PERSON = 4
PIECE, PAUSE = 4_096, 0.1  # bytes and seconds: some 40 kB/s
RULES = 4_000


@contextmanager
def under_way(site: Site, *, validations: int, exports: int) -> Iterator[Counter[str]]:
    """So many of each at a time, until the block ends; counts what became of them."""
    counted, over = Counter[str](), threading.Event()
    people = [_person(site, number) for number in range(exports // EXPORTS_OF_A_PERSON)]
    jobs: list[tuple[Callable[..., None], str]] = [
        *((_validate, _key(site, number)) for number in range(validations)),
        *((_export, people[number % len(people)]) for number in range(exports)),
    ]
    threads = [
        threading.Thread(target=_again_and_again, args=(job, site, who, counted, over))
        for job, who in jobs
    ]
    for thread in threads:
        thread.start()
    try:
        yield counted
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _again_and_again(
    job: Callable[..., None], site: Site, who: str, counted: Counter[str], over: threading.Event
) -> None:
    while not over.is_set():
        try:
            job(site, who, counted, over)
        except OSError as error:
            counted[f"{type(error).__name__}: {error}"] += 1
            over.wait(1)


def _validate(site: Site, key: str, counted: Counter[str], over: threading.Event) -> None:
    connection = http.client.HTTPConnection(*site.address, timeout=60)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    try:
        connection.request("POST", "/v1/contracts/validate", _contract(), headers)
        answer = connection.getresponse()
        answer.read()
    finally:
        connection.close()
    counted[f"validation {answer.status}"] += 1
    if answer.status != http.client.OK:
        over.wait(int(answer.headers["Retry-After"] or 1))


def _export(site: Site, cookie: str, counted: Counter[str], over: threading.Event) -> None:
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE)
        connection.settimeout(60)
        connection.connect(site.address)
        request = (
            f"GET /p/default/calls/?format=csv HTTP/1.1\r\nHost: localhost\r\n{cookie}\r\n\r\n"
        )
        connection.sendall(request.encode())
        head = connection.recv(PIECE)
        status = head.split(b" ", 2)[1].decode() if head else "closed"
        counted[f"export {status}"] += 1
        if status != "200":
            over.wait(2)
            return
        while not over.wait(PAUSE) and (piece := connection.recv(PIECE)):
            counted["bytes of exports"] += len(piece)


@cache
def _contract() -> bytes:
    rules = "\n".join(
        f"- {{id: r{number}, type: pre, tool: t, when: {{args.x: {{matches: '(a+)+b{number}$'}}}},"
        " then: {action: block, message: Not that.}}"
        for number in range(RULES)
    )
    head = "apiVersion: edictum/v1\nkind: Ruleset\nmetadata: {name: large}\n"
    return json.dumps({"yaml": f"{head}defaults: {{mode: enforce}}\nrules:\n{rules}\n"}).encode()


def _key(site: Site, number: int) -> str:
    wanted = {"name": f"reader {number}", "env": "production", "scopes": ["read"]}
    status, answer = site.ask("POST", "/v1/keys", wanted)
    if status != http.client.CREATED:
        raise RuntimeError(f"/v1/keys answered {status}: {answer}")
    return str(json.loads(answer)["key"])


def _person(site: Site, number: int) -> str:
    """A viewer, invited and signed in: the header that a browser of theirs sends."""
    admin, viewer = Browser(site), Browser(site)
    admin.sign_in()
    wanted = {"email": f"viewer-{number}@example.test", "role": "viewer"}
    _, page = admin.ask("POST", "/p/default/settings/members/invite/", wanted)
    found = re.search(r"/join/[^/\"<\s]+/", page)
    if found is None:
        raise RuntimeError(f"No invitation: {page[:500]}")
    viewer.ask("GET", found[0])
    viewer.ask("POST", found[0], {"password": secrets.token_hex(20)})
    return "Cookie: " + "; ".join(f"{name}={value}" for name, value in viewer.cookies.items())
