"""All there is to say of the text of a check that somebody writes: what is wrong, and its rules."""

from dataclasses import dataclass

from governance.domain.checks.examples import ExampleResult
from governance.domain.checks.includes import MOST_INCLUDED
from governance.domain.checks.outline import OutlinedCheckRule, outline_of_check
from governance.domain.checks.problems import Problems
from governance.domain.checks.text import MAX_BYTES, CheckedText, check_text
from governance.domain.checks.tree import Keys, Listing, Node, Word, tree_of
from governance.domain.errors import DocumentInvalid, Problem
from governance.domain.merging import conflicts_in
from governance.domain.source_text import decoded
from governance.models import Check, Project
from governance.queries.check_names import renamed_check, shipped_name, taken_check
from governance.queries.checking import Told, marked
from governance.queries.checks import (
    HEAVY,
    check_named,
    included_in,
    is_ours,
    newest_compiled,
    own_version,
)


@dataclass(frozen=True, slots=True)
class ToldOfCheck(Told):
    rules: tuple[OutlinedCheckRule, ...] | None  # none: the text is no YAML, so nobody can tell
    examples: tuple[ExampleResult, ...]
    otherwise: str = ""
    name: str = ""

    @property
    def passed(self) -> int:
        return sum(each.passed for each in self.examples)


def read_check_text(project_id: int, text: str) -> tuple[CheckedText, Node | None]:
    """And the text as a tree; all that it includes is asked for at once."""
    try:
        tree = tree_of(decoded(text, at_most=MAX_BYTES))
    except DocumentInvalid as refused:
        return CheckedText(problems=refused.errors), None
    names = [each.text for each in _included(tree)]
    compiled = newest_compiled(project_id, names) if names else {}
    return check_text(text, included=compiled.get), tree


def told_of_check(project: Project, check: Check | None, text: str) -> ToldOfCheck:
    """And whether it could be saved under its name: as a version of this check, or a new one."""
    read, tree = read_check_text(project.pk, text)
    if tree is None:
        return ToldOfCheck(marked("error", conflicts_in(text) or read.problems, text), None, ())
    found = [*_unfit_name(project, check, text, read), *read.problems]
    taken = _newer_taken(project, check, read, tree)
    marks = (*marked("error", found, text), *marked("warning", taken, text))
    problems = sorted(marks, key=lambda each: each.place)
    outline = outline_of_check(text)
    return ToldOfCheck(tuple(problems), outline.rules, read.examples, outline.otherwise, read.name)


def _unfit_name(
    project: Project, check: Check | None, text: str, read: CheckedText
) -> list[Problem]:
    if not read.name:
        return []
    if check is not None:
        return [] if read.name == check.name else [renamed_check(text, check.name)]
    if check_named(project, read.name) is not None:
        return [taken_check(text, read.name)]
    return [shipped_name(text, read.name)] if is_ours(read.name) else []


def _newer_taken(
    project: Project, check: Check | None, read: CheckedText, tree: Node
) -> tuple[Problem, ...]:
    """Saving fixes what is included as it is now: what the newest version has otherwise is told
    before, or whoever mends one word would take another check's rules unseen."""
    if check is None or read.compiled is None or not _included(tree):
        return ()
    newest = own_version(project, check.name, without=HEAVY)
    had = {each["name"]: each["version"] for each in newest.included} if newest else {}
    now = {each["name"]: each["version"] for each in included_in(read.compiled)}
    problems = Problems()
    for node in _included(tree):
        name = node.text
        if newest and name in had and had[name] != now.get(name, had[name]):
            problems.at(
                node,
                f"Saving takes `{name}` v{now[name]}: v{newest.number} of this check has"
                f" v{had[name]} of it.",
            )
    return tuple(problems.found)


def _included(tree: Node | None) -> list[Word]:
    include = tree.get("include") if isinstance(tree, Keys) else None
    items = include.items if isinstance(include, Listing) else []
    return [item for item in items[:MOST_INCLUDED] if isinstance(item, Word)]
