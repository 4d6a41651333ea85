"""Convert an ASGI scope to the environ of a WSGI application."""

import sys
from functools import lru_cache
from typing import Any
from urllib.parse import unquote_to_bytes
from wsgiref.types import WSGIEnvironment

from edictum_site.front.replies import OF_THE_CONNECTION, FileContent

Scope = dict[str, Any]

# The server handles hop-by-hop headers itself; `Proxy` would become HTTP_PROXY.
NOT_FOR_THE_APPLICATION = OF_THE_CONNECTION | {b"content-length", b"expect", b"proxy"}


def environ_of(scope: Scope) -> WSGIEnvironment:
    server = scope.get("server") or ("localhost", 80)
    client = scope.get("client") or ("", 0)
    environ: WSGIEnvironment = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1] or 0),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.file_wrapper": FileContent,
        "edictum.front": True,
    }
    for name, value in scope["headers"]:
        key = key_of(name)
        if not key:
            continue
        text = value.decode("latin-1")
        if key in environ:
            text = f"{environ[key]}{'; ' if key == 'HTTP_COOKIE' else ','}{text}"
        environ[key] = text
    return environ


@lru_cache(512)
def key_of(name: bytes) -> str:
    """Environ name of a header, or an empty string if it must not be passed on."""
    # X_Forwarded_For and X-Forwarded-For map to one variable, so a header could be forged.
    if b"_" in name or name in NOT_FOR_THE_APPLICATION:
        return ""
    key = name.decode("latin-1").upper().replace("-", "_")
    return key if key == "CONTENT_TYPE" else f"HTTP_{key}"


def header(scope: Scope, key: bytes) -> bytes:
    return next((value for name, value in scope["headers"] if name == key), b"")
