"""Analysis of a draft: its errors, warnings and rules."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from governance.contracts.queries.contracts import (
    NAME,
    bundle_named,
    misnamed,
    name_exists,
    renamed,
)
from governance.core.errors import DocumentInvalid, EvaluationLimit, EvaluationUnavailable, Problem
from governance.evaluation import engine
from governance.evaluation.engine import Validation
from governance.models import Bundle, Project
from governance.texts.dialect import Dialect
from governance.texts.document import read_document
from governance.texts.merging import conflicts_in
from governance.texts.notation import lines_of, words_at
from governance.texts.outline import OutlinedRule, outline

Severity = Literal["error", "warning"]
ToolsOf: TypeAlias = Callable[[Project], Collection[str]]

# Governance has no access to calls: the app that does registers a query for recently used tools.
tools_of: ToolsOf | None = None


@dataclass(frozen=True, slots=True)
class Marked:
    """A problem with the exact words to underline."""

    severity: Severity
    message: str
    line: int | None
    column: int | None
    words: str
    fix: str

    @property
    def place(self) -> tuple[int, int]:
        return self.line or 0, self.column or 0


@dataclass(frozen=True, slots=True)
class Analysis:
    """Problems of a text in the order of its lines, with its outline."""

    problems: tuple[Marked, ...]

    @property
    def errors(self) -> int:
        return sum(each.severity == "error" for each in self.problems)

    @property
    def warnings(self) -> int:
        return len(self.problems) - self.errors

    @property
    def errors_counted(self) -> str:
        return "1 error" if self.errors == 1 else f"{self.errors} errors"

    @property
    def warnings_counted(self) -> str:
        return "1 warning" if self.warnings == 1 else f"{self.warnings} warnings"

    @property
    def worst(self) -> Severity | None:
        return "error" if self.errors else "warning" if self.problems else None


@dataclass(frozen=True, slots=True)
class Checked(Analysis):
    rules: tuple[OutlinedRule, ...] | None  # None if the text isn't YAML
    dialect: Dialect | None
    name: str = ""


def read_contract(document: bytes | str, *, tools: Collection[str] | None = None) -> Validation:
    """Library errors and lint warnings of a document, and an error if agents can't request its
    name."""
    read = engine.validate(document, tools=tools)
    if read.valid and not NAME.fullmatch(read.name):
        return replace(read, errors=(misnamed(document),))
    return read


def tools_seen(project: Project) -> Collection[str] | None:
    """Tools that agents called; None if no app lists them."""
    return tools_of(project) if tools_of else None


def check_text(text: str, *, tools: Collection[str] | None = None) -> Checked:
    """Analysis of a text. `tools` are all tools ever seen; None skips warnings about tools."""
    try:
        document = read_document(text)
    except DocumentInvalid as refused:
        errors = conflicts_in(text) or refused.errors
        return Checked(marked("error", errors, text), None, None)
    try:
        read = read_contract(text, tools=tools)
    except (EvaluationLimit, EvaluationUnavailable) as refused:
        limit = Problem(message=str(refused))
        return Checked(marked("error", [limit], text), outline(document), document.dialect)
    problems = [*marked("error", read.errors, text), *marked("warning", read.warnings, text)]
    problems.sort(key=lambda each: each.place)
    return Checked(tuple(problems), outline(document), document.dialect, read.name)


def check_draft(
    project: Project, bundle: Bundle | None, text: str, *, tools: Collection[str] | None = None
) -> Checked:
    """Analysis of a text, including whether it can be saved as this contract, or as a new one."""
    checked = check_text(text, tools=tools)
    if not checked.name:
        return checked
    if bundle is not None:
        unfit = renamed(text, bundle.name) if checked.name != bundle.name else None
    else:
        unfit = name_exists(text, checked.name) if bundle_named(project, checked.name) else None
    if unfit is None:
        return checked
    problems = sorted([*marked("error", [unfit], text), *checked.problems], key=lambda p: p.place)
    return replace(checked, problems=tuple(problems))


def marked(severity: Severity, problems: Iterable[Problem], text: str) -> tuple[Marked, ...]:
    lines = lines_of(text)
    return tuple(
        Marked(severity, each.message, each.line, each.column, words, each.fix if words else "")
        for each in problems
        for words in [words_at(lines, each)]
    )
