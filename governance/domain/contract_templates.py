"""The contracts that come with the console, for who begins with none."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path

from governance.domain.document import Document, read_document
from governance.domain.plain_document import mapping, values_of

_FOLDER = Path(__file__).resolve().parent.parent / "contract_templates"
_LONGEST_NAME = 120  # and a number behind it
# The most general first.
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


def as_free_name(name: str, taken: Collection[str], longest: int = _LONGEST_NAME) -> str:
    """file-agent, file-agent-2, file-agent-3"""
    if name not in taken:
        return name
    cut = name[:longest]
    return next(free for number in count(2) if (free := f"{cut}-{number}") not in taken)


def _templates() -> Iterator[Template]:
    for name in _ORDER:
        document = read_document((_FOLDER / f"{name}.yaml").read_bytes())
        description = mapping(values_of(document).get("metadata")).get("description")
        yield Template(name, str(description), document)
