"""Contract templates that ship with the console."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from governance.texts.document import Document, read_document
from governance.texts.plain_document import mapping, values_of

_FOLDER = Path(__file__).resolve().parent.parent / "contract_templates"
# Most general first.
_ORDER = (
    *("file-agent", "research-agent", "devops-agent"),
    *("support-agent", "payments-agent", "data-analyst"),
)


@dataclass(frozen=True, slots=True)
class Template:
    name: str
    description: str
    document: Document

    @property
    def title(self) -> str:
        return self.name.replace("-", " ").capitalize()


@cache
def templates() -> tuple[Template, ...]:
    return tuple(_templates())


def template_named(name: str) -> Template | None:
    return next((each for each in templates() if each.name == name), None)


def _templates() -> Iterator[Template]:
    for name in _ORDER:
        document = read_document((_FOLDER / f"{name}.yaml").read_bytes())
        description = mapping(values_of(document).get("metadata")).get("description")
        yield Template(name, str(description), document)
