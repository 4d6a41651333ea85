"""An S3 API on loopback: moto's server in a separate process, with buckets for tests."""

import atexit
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

import httpx

SLOW = 0.5  # seconds for each chunk of a request or response
KEYS = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests-secret"}
# The server requires a signature, but verifies it only for keys that it issued.
SIGNED = {
    "Authorization": "AWS4-HMAC-SHA256 Credential=tests/20260101/us-east-1/s3/aws4_request,"
    " SignedHeaders=host, Signature=0"
}
# It exits when this process ends, even after a crash, because that closes its standard input.
SERVER = """
import logging, sys
from moto.server import ThreadedMotoServer
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""


@cache
def port() -> int:
    """Port of the server, which is started once per run when a test first needs it."""
    pipe = subprocess.PIPE
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdin=pipe, stdout=pipe, text=True)
    assert server.stdout is not None
    atexit.register(_end, server)
    return int(server.stdout.readline().split()[-1])


def _end(server: subprocess.Popen[str]) -> None:
    server.kill()
    server.communicate()


def url() -> str:
    return f"http://127.0.0.1:{port()}"


def a_bucket(endpoint: str = "") -> str:
    """Create a bucket and return its address in the format of EDICTUM_SITE_ARTIFACTS."""
    os.environ.update(KEYS)
    name = f"bucket-{secrets.token_hex(6)}"
    httpx.put(f"{url()}/{name}").raise_for_status()
    return f"s3://{name}/artifacts?endpoint={endpoint or url()}&region=us-east-1"


def keys_in(address: str) -> list[str]:
    """Names of all objects in a bucket, listed without the product's own client."""
    listed = httpx.get(f"{url()}/{_bucket(address)}?list-type=2").text
    return [part.partition("</Key>")[0] for part in listed.split("<Key>")[1:]]


def content_of(address: str, key: str) -> bytes:
    answer = httpx.get(f"{url()}/{_bucket(address)}/{key}", headers=SIGNED)
    return answer.raise_for_status().content


def unfinished_uploads(address: str) -> int:
    return httpx.get(f"{url()}/{_bucket(address)}?uploads").text.count("<UploadId>")


def overwrite(address: str, key: str, content: bytes) -> None:
    httpx.put(
        f"{url()}/{_bucket(address)}/{key}", content=content, headers=SIGNED
    ).raise_for_status()


def delete(address: str, key: str) -> None:
    httpx.delete(f"{url()}/{_bucket(address)}/{key}", headers=SIGNED).raise_for_status()


@contextmanager
def known_keys_only() -> Iterator[None]:
    """Make the server reject credentials that it did not issue, such as `KEYS`, in this block."""
    httpx.post(f"{url()}/moto-api/reset-auth", content="0").raise_for_status()
    try:
        yield
    finally:
        httpx.post(f"{url()}/moto-api/reset-auth", content="inf").raise_for_status()


def _bucket(address: str) -> str:
    return address.removeprefix("s3://").partition("/")[0]


class Line:
    """Proxy to the server that can be cut, silent or slow, or end after a number of bytes."""

    def __init__(self) -> None:
        self.mode = "open"
        self.bytes_left: int | None = None
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        with suppress(OSError):  # the listener was closed at the end of the test
            while True:
                client, _ = self._listener.accept()
                if self.mode == "cut":
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", port()))
                for ends in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._carry, args=ends, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, is_request: bool) -> None:  # noqa: FBT001
        with suppress(OSError):
            while data := source.recv(65_536):
                if self.mode == "silent":
                    continue
                if self.mode == "slow":
                    time.sleep(SLOW)
                if is_request and self.bytes_left is not None:
                    self.bytes_left -= len(data)
                if self.mode == "cut" or (self.bytes_left is not None and self.bytes_left < 0):
                    break
                target.sendall(data)
        source.close()
        target.close()


def keys_of_user(policy: str) -> dict[str, str]:
    """Create a user with this policy and return the user's credentials."""
    name = f"user-{secrets.token_hex(4)}"
    _iam("CreateUser", name)
    _iam("PutUserPolicy", name, PolicyName="console", PolicyDocument=policy)
    made = _iam("CreateAccessKey", name)
    values = {tag: made.partition(f"<{tag}>")[2].partition("<")[0] for tag in _OF_KEYS}
    return {_OF_KEYS[tag]: value for tag, value in values.items()}


_OF_KEYS = {"AccessKeyId": "AWS_ACCESS_KEY_ID", "SecretAccessKey": "AWS_SECRET_ACCESS_KEY"}


def _iam(action: str, user: str, **values: str) -> str:
    form = {"Action": action, "Version": "2010-05-08", "UserName": user, **values}
    signed = {"Authorization": SIGNED["Authorization"].replace("/s3/", "/iam/")}
    answer = httpx.post(f"{url()}/", data=form, headers=signed)
    return answer.raise_for_status().text
