"""Records what real libraries send: `python -m tests.outcomes.traces.record`, names or all.

Each program runs in an environment of its own below `.cache/otlp`, against a collector on loopback
that stores what it gets in `tests/fixtures/otlp`. Models are fake; nothing leaves the machine.
"""

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import venv
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as service

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS, FIXTURES = Path(__file__).with_name("programs"), ROOT / "tests/fixtures/otlp"
CACHE = ROOT / ".cache/otlp"
PATIENCE = 300
IDS = ("traceId", "spanId", "parentSpanId")


class Program(NamedTuple):
    file: str
    packages: Sequence[str]
    arguments: Sequence[str] = ()


EXPORTER = "opentelemetry-exporter-otlp-proto-http"
LANGCHAIN = ("langchain", EXPORTER)
PYTHON = {
    "pydantic-ai": Program("pydantic_ai_agent.py", ("pydantic-ai-slim", EXPORTER)),
    "langchain-openinference": Program(
        "langchain_agent.py",
        (*LANGCHAIN, "openinference-instrumentation-langchain"),
        ("openinference",),
    ),
    "langchain-openllmetry": Program(
        "langchain_agent.py",
        (*LANGCHAIN, "opentelemetry-instrumentation-langchain"),
        ("openllmetry",),
    ),
    "openllmetry-decorators": Program("traceloop_agent.py", ("traceloop-sdk",)),
    "google-adk": Program("adk_agent.py", ("google-adk", EXPORTER)),
    "openai-agents-openinference": Program(
        "openai_agents_agent.py",
        ("openai-agents", "openinference-instrumentation-openai-agents", EXPORTER),
    ),
}
NODE = {
    "vercel-ai-sdk": Program(
        "ai_sdk_agent.mjs",
        (
            *("ai@6", "zod", "@opentelemetry/sdk-trace-node", "@opentelemetry/api"),
            *("@opentelemetry/exporter-trace-otlp-http", "@opentelemetry/resources"),
        ),
    )
}


class Collector(ThreadingHTTPServer):
    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Posts)
        self.posts: list[Any] = []


class _Posts(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self._body()
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        if self.path.endswith("/traces"):
            is_json = "json" in self.headers["Content-Type"]
            self.server.posts.append(json.loads(body) if is_json else from_protobuf(body))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        pass

    def _body(self) -> bytes:
        if "Content-Length" in self.headers:
            return self.rfile.read(int(self.headers["Content-Length"]))
        chunks = []
        while size := int(self.rfile.readline(), 16):
            chunks.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(chunks)


def from_protobuf(body: bytes) -> Any:
    """The post as OTLP JSON, in which ids are hexadecimal."""
    return with_hex_ids(MessageToDict(service.ExportTraceServiceRequest.FromString(body)))


def with_hex_ids(value: Any) -> Any:
    match value:
        case dict():
            return {
                name: base64.b64decode(each).hex() if name in IDS else with_hex_ids(each)
                for name, each in value.items()
            }
        case list():
            return [with_hex_ids(each) for each in value]
        case _:
            return value


def record(name: str) -> None:
    command = python_command(name) if name in PYTHON else node_command(name)
    with Collector() as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{collector.server_port}"
        variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, "OPENAI_API_KEY": "none"}
        subprocess.run(command, env=os.environ | variables, check=True, timeout=PATIENCE)
        collector.shutdown()
        text = json.dumps(collector.posts, indent=1, ensure_ascii=False)
    # Local paths in tracebacks.
    text = re.sub(r"/[^\s\"\\]*/(lib/python3|programs|site-packages)", r"/app/\1", text)
    (FIXTURES / f"{name}.json").write_text(text + "\n")


def python_command(name: str) -> list[str]:
    folder, program = CACHE / name, PYTHON[name]
    python = folder / "bin/python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        install = ("-m", "pip", "install", "--quiet", *program.packages)
        subprocess.run([python, *install], check=True)
    return [str(python), str(PROGRAMS / program.file), *program.arguments]


def node_command(name: str) -> list[str]:
    folder, program = CACHE / name, NODE[name]
    if not (folder / "node_modules").exists():
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(["npm", "init", "--yes"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(["npm", "install", "--silent", *program.packages], cwd=folder, check=True)
    # Next to its packages, as Node searches for them there.
    return ["node", str(shutil.copy(PROGRAMS / program.file, folder))]


if __name__ == "__main__":
    for chosen in sys.argv[1:] or [*PYTHON, *NODE]:
        record(chosen)
