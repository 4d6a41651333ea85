"""The supervisor owns the port: a port in use is detected before anything starts, and requests that
arrive while the web process restarts wait in the socket's queue.
"""

import errno
import resource
import socket
import time

from edictum_site.stack.options import StartRefused

BACKLOG = 4096
FILES = 8192  # every stream and every upload is an open file
# After a kill the predecessor's children may hold the port for a moment.
PATIENCE = 0.5


def listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError:
        raise StartRefused(f"HOST is not an address of this machine: {host}.") from None
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            listener = socket.create_server(address[:2], family=family, backlog=BACKLOG)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and time.monotonic() < deadline:
                time.sleep(0.05)
                continue
            raise StartRefused(why_not(error, host, port)) from None
        # Connections inherit this option. uvicorn treats a socket passed by number as a Unix socket
        # and doesn't set it, so each small response would wait 40 ms for the client's ACK.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        listener.set_inheritable(True)
        return listener


def why_not(error: OSError, host: str, port: int) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return (
                f"Port {port} is in use. Stop the program that uses it, or set PORT to another one."
            )
        case errno.EACCES:
            return f"Port {port} needs root privileges. Set PORT to 1024 or higher."
        case errno.EADDRNOTAVAIL:
            return f"HOST is not an address of this machine: {host}."
        case _:
            return f"Cannot listen on {host}:{port}: {error.strerror}."


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared, not bound: everywhere is here too
        host = "localhost"
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def allow_many_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = FILES if hard == resource.RLIM_INFINITY else min(FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < enough:
        resource.setrlimit(resource.RLIMIT_NOFILE, (enough, hard))


class FirstPage:
    """A request sent before the web process is up; its response shows that the process serves."""

    REQUEST = b"GET /v1/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

    def __init__(self, listener: socket.socket) -> None:
        host, port = listener.getsockname()[:2]
        self._address = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host), port  # noqa: S104
        self._ask()

    def _ask(self) -> None:
        self._connection = socket.create_connection(self._address, timeout=5)
        self._connection.sendall(self.REQUEST)
        self._connection.settimeout(0)

    def fileno(self) -> int:
        return self._connection.fileno()

    def served(self) -> bool:
        try:
            answer = self._connection.recv(5)
        except BlockingIOError:
            return False
        except ConnectionError:
            answer = b""
        self._connection.close()
        if not answer:  # the process that accepted the request has died
            self._ask()
        return bool(answer)
