"""Documents of the product, with their titles and first sentences."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings
from django.utils.safestring import SafeString

from edictum_site.help.markdown import Heading, render

ROOT: Final[Path] = settings.BASE
NEWS: Final = "whats-new"
CLIENT: Final = "python-client"
ADR: Final = "adr/"

# Order of the list. A test checks that it contains every file of docs/.
GROUPS: Final = (
    ("Connect agents", ("connect", CLIENT, "opentelemetry", "adapters", "executor")),
    (
        "Use the console",
        (
            "contracts",
            "success",
            "sessions",
            "artifacts",
            "backtests",
            "pipelines",
            "mcp",
            "people",
        ),
    ),
    ("Reference", ("api", "glossary", "result-shapes")),
    (
        "Run the console",
        (
            "running",
            "deploy",
            "metrics",
            "retention",
            "archive",
            "audit",
            "security",
            "performance",
            "scale",
            "architecture",
            NEWS,
        ),
    ),
)
_ELSEWHERE: Final = {NEWS: "CHANGELOG.md", CLIENT: "clients/python/README.md"}
_TITLE: Final = re.compile(r"\A# (.+)\n")


@dataclass(frozen=True, slots=True)
class Document:
    name: str
    title: str
    html: SafeString
    headings: tuple[Heading, ...]


@cache
def documents() -> dict[str, Path]:
    """Documents by their name in URLs. No other files are served."""
    guides = {path.stem: path for path in (ROOT / "docs").glob("*.md")}
    records = {f"{ADR}{path.stem}": path for path in (ROOT / "docs/adr").glob("*.md")}
    others = {name: ROOT / path for name, path in _ELSEWHERE.items()}
    return {name: path for name, path in (guides | records | others).items() if path.is_file()}


@cache
def document_named(name: str) -> Document | None:
    path = documents().get(name)
    if path is None:
        return None
    text = path.read_text("utf-8")
    heading = _TITLE.match(text)
    title = "What's new" if name == NEWS else heading[1] if heading else name
    body = text[heading.end() :] if heading else text
    names = {known: each for each, known in documents().items()}
    html, headings = render(body, path, names)
    return Document(name, title, html, headings)


def decisions() -> list[Document]:
    """Decision records, sorted by number."""
    names = sorted(name for name in documents() if name.startswith(ADR))
    return [document for name in names if (document := document_named(name))]
