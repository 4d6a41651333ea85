"""The test application under the real server, and a client for it."""

import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from edictum_site.stack.children import web_command

ROOT = Path(__file__).parent.parent.parent
LARGE = os.urandom(1024 * 1024) * 3


class Toy:
    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        (folder / "large").write_bytes(LARGE)
        listener = socket.create_server(("127.0.0.1", 0))
        listener.set_inheritable(True)
        self.address: tuple[str, int] = listener.getsockname()
        with (folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                web_command("tests.edictum_site.toy:application", listener.fileno()),
                env=os.environ | {"TOY_FOLDER": str(folder)} | variables,
                cwd=ROOT,
                pass_fds=[listener.fileno()],
                stderr=log,
                process_group=0,
            )
        listener.close()

    def ask(
        self, path: str, method: str = "GET", body: Any = None, **headers: str
    ) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection(*self.address, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response, response.read()
        finally:
            connection.close()

    def say(self, *lines: str) -> socket.socket:
        connection = socket.create_connection(self.address, timeout=60)
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        return connection

    def events(self) -> list[str]:
        file = self.folder / "events"
        return file.read_text().splitlines() if file.exists() else []

    def let_go(self) -> None:
        """Release the requests to `/slow`."""
        (self.folder / "let go").touch()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def read_all(connection: socket.socket) -> bytes:
    pieces = []
    while piece := connection.recv(65536):
        pieces.append(piece)
    return b"".join(pieces)
