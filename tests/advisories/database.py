"""Loopback server in place of the OSV database, with the vulnerabilities in `advisories.json`."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from packaging.version import Version

KNOWN = Path(__file__).with_name("advisories.json")


def advisories() -> list[dict[str, Any]]:
    """Known vulnerabilities in OSV format.

    `advisories.json` has a line per vulnerability: id, package, the version that fixes it (omitted
    if no release does) and a summary.
    """
    return [_osv(**each) for each in json.loads(KNOWN.read_text())]


def vulnerabilities(package: str, version: str) -> list[dict[str, Any]]:
    of_package = (
        each for each in advisories() if each["affected"][0]["package"]["name"] == package
    )
    return [each for each in of_package if _is_affected(each, Version(version))]


@contextmanager
def database() -> Iterator[str]:
    """Run the server until the block ends, and yield its query URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/query"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vulns = vulnerabilities(query["package"]["name"], query["version"])
        body = json.dumps({"vulns": vulns} if vulns else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing, since pip-audit prints the results."""


def _osv(id: str, package: str, summary: str, mended: str = "", since: str = "0") -> dict[str, Any]:
    events = [{"introduced": since}, *([{"fixed": mended}] if mended else [])]
    ranges = [{"type": "ECOSYSTEM", "events": events}]
    affected = [{"package": {"name": package, "ecosystem": "PyPI"}, "ranges": ranges}]
    return {"id": id, "summary": summary, "aliases": [], "affected": affected}


def _is_affected(advisory: dict[str, Any], version: Version) -> bool:
    events = advisory["affected"][0]["ranges"][0]["events"]
    since = Version(events[0]["introduced"])
    return since <= version and not any(Version(each["fixed"]) <= version for each in events[1:])
