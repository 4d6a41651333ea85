"""Clients for slow requests: validations of a large contract, and exports that are read slowly.

They run in a separate process, since they would delay the measurements otherwise.
"""

import http.client
import json
import multiprocessing
import re
import secrets
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from multiprocessing.connection import Connection

from bench.editor import Browser
from bench.site import Site

EXPORTS_OF_A_PERSON = 4
PIECE, PAUSE = 4_096, 0.1  # bytes and seconds: about 40 kB/s
RULES = 4_000


Address = tuple[str, int]


@contextmanager
def under_way(
    site: Site, *, validations: int, exports: int
) -> Iterator[Callable[[], Counter[str]]]:
    """Keep this many of each running until the block ends; yield a function that counts results."""
    people = [_person(site, number) for number in range(exports // EXPORTS_OF_A_PERSON)]
    keys = [_key(site, number) for number in range(validations)]
    cookies = [people[number % len(people)] for number in range(exports)]
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    clients = spawning.Process(target=_clients, args=(theirs, site.address, keys, cookies))
    clients.start()

    def counted() -> Counter[str]:
        ours.send("count")
        return Counter(ours.recv())

    try:
        counted()  # returns once the clients have started
        yield counted
    finally:
        ours.send("end")
        clients.join()


def _clients(ours: Connection, address: Address, keys: list[str], cookies: list[str]) -> None:
    counted, over = Counter[str](), threading.Event()
    jobs: list[tuple[Callable[..., None], str]] = [
        *((_validate, key) for key in keys),
        *((_export, cookie) for cookie in cookies),
    ]
    threads = [
        threading.Thread(target=_again_and_again, args=(job, address, who, counted, over))
        for job, who in jobs
    ]
    for thread in threads:
        thread.start()
    while ours.recv() == "count":
        ours.send(dict(counted))
    over.set()
    for thread in threads:
        thread.join()


def _again_and_again(
    job: Callable[..., None],
    address: Address,
    who: str,
    counted: Counter[str],
    over: threading.Event,
) -> None:
    while not over.is_set():
        try:
            job(address, who, counted, over)
        except OSError as error:
            counted[f"{type(error).__name__}: {error}"] += 1
            over.wait(1)


def _validate(address: Address, key: str, counted: Counter[str], over: threading.Event) -> None:
    connection = http.client.HTTPConnection(*address, timeout=60)
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


def _export(address: Address, cookie: str, counted: Counter[str], over: threading.Event) -> None:
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, PIECE)
        connection.settimeout(60)
        connection.connect(address)
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
    fields = {"name": f"reader {number}", "env": "production", "scopes": ["read"]}
    status, answer = site.ask("POST", "/v1/keys", fields)
    if status != http.client.CREATED:
        raise RuntimeError(f"/v1/keys answered {status}: {answer}")
    return str(json.loads(answer)["key"])


def _person(site: Site, number: int) -> str:
    """Cookie header of a newly invited and signed-in viewer."""
    admin, viewer = Browser(site), Browser(site)
    admin.sign_in()
    fields = {"email": f"viewer-{number}@example.test", "role": "viewer"}
    admin.ask("POST", "/p/default/settings/members/invite/", fields)
    _, page = admin.ask("GET", "/p/default/settings/members/invited/")
    match = re.search(r"/join/[^/\"<\s]+/", page)
    if match is None:
        raise RuntimeError(f"No invitation: {page[:500]}")
    viewer.ask("GET", match[0])
    viewer.ask("POST", match[0], {"password": secrets.token_hex(20)})
    return "Cookie: " + "; ".join(f"{name}={value}" for name, value in viewer.cookies.items())
