"""Analysis of a check's text while it is edited: problems, rules, examples and newer includes."""

from collections.abc import Collection
from dataclasses import dataclass

from governance.checks.authoring.outline import OutlinedCheckRule, outline_of_check
from governance.checks.language.examples import ExampleResult
from governance.checks.language.includes import MOST_INCLUDED
from governance.checks.language.text import MAX_BYTES, CheckedText, read_check
from governance.checks.language.tree import Keys, Listing, Node, Word, tree_of
from governance.checks.queries.checks import (
    check_exists,
    check_named,
    is_ours,
    newer_included,
    renamed_check,
    shipped_name,
)
from governance.checks.queries.includes import Including
from governance.contracts.queries.analysis import Analysis, marked
from governance.core.errors import DocumentInvalid, Problem
from governance.models import Check, Project
from governance.texts.merging import conflicts_in
from governance.texts.source_text import decoded


@dataclass(frozen=True, slots=True)
class Offer:
    """A newer version of a check that the newest version of this one includes."""

    name: str
    included: int
    newest: int
    is_accepted: bool  # by the author: the newer version is included on save


@dataclass(frozen=True, slots=True)
class CheckAnalysis(Analysis):
    rules: tuple[OutlinedCheckRule, ...] | None  # None if the text isn't YAML
    examples: tuple[ExampleResult, ...]
    otherwise: str = ""
    name: str = ""
    offers: tuple[Offer, ...] = ()

    @property
    def takes_newer(self) -> bool:
        return any(each.is_accepted for each in self.offers)

    @property
    def passed(self) -> int:
        return sum(each.passed for each in self.examples)


def read_check_text(
    project_id: int, text: str, newer: Collection[str] = ()
) -> tuple[CheckedText, Node | None]:
    """Checked text and its tree; all included checks are loaded in one query."""
    return _read(text, Including(project_id, newer))


def _read(text: str, including: Including) -> tuple[CheckedText, Node | None]:
    try:
        tree = tree_of(decoded(text, at_most=MAX_BYTES))
    except DocumentInvalid as refused:
        return CheckedText(problems=refused.errors), None
    including.names = [each.text for each in _included(tree)]
    return read_check(text, included_by=including.of), tree


def analyse_check(
    project: Project, check: Check | None, text: str, newer: Collection[str] = ()
) -> CheckAnalysis:
    """Analysis of a text, including whether it can be saved as this check, or as a new one."""
    including = Including(project.pk, newer)
    read, tree = _read(text, including)
    if tree is None:
        return CheckAnalysis(marked("error", conflicts_in(text) or read.problems, text), None, ())
    problems = [*_unfit_name(project, check, text, read), *read.problems]
    outline = outline_of_check(text)
    return CheckAnalysis(
        marked("error", problems, text),
        outline.rules,
        read.examples,
        outline.otherwise,
        read.name,
        _offers(check, including),
    )


def _unfit_name(
    project: Project, check: Check | None, text: str, read: CheckedText
) -> list[Problem]:
    if not read.name:
        return []
    if check is not None:
        return [] if read.name == check.name else [renamed_check(text, check.name)]
    if check_named(project, read.name) is not None:
        return [check_exists(text, read.name)]
    return [shipped_name(text, read.name)] if is_ours(read.name) else []


def _offers(check: Check | None, including: Including) -> tuple[Offer, ...]:
    fixed = including.fixed
    if check is None or fixed is None or fixed.success_check_id != check.pk:
        return ()
    return tuple(
        Offer(each.name, each.included, each.newest, each.name in including.newer)
        for each in newer_included(fixed)
        if each.name in including.names
    )


def _included(tree: Node | None) -> list[Word]:
    include = tree.get("include") if isinstance(tree, Keys) else None
    items = include.items if isinstance(include, Listing) else []
    return [item for item in items[:MOST_INCLUDED] if isinstance(item, Word)]
