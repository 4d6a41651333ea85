"""Lint: valid in a contract, but surely not what its author meant.

Only the library decides what is valid. Each warning is one sentence at its position, with a fix if
there is exactly one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace

from governance.core.errors import Problem
from governance.lint.conditions import about_conditions
from governance.lint.limits import about_limits
from governance.lint.tools import ToolNames, about_tools
from governance.texts.dialect import Dialect, Path, swap_path
from governance.texts.document import Document
from governance.texts.lint_finding import Finding
from governance.texts.plain_document import action_of, mapping, rules_in, values_of
from governance.texts.yaml_text import locate, path_text

MOST = 200  # problems; a last sentence counts the rest


def lint(document: Document, *, tools: Collection[str] | None) -> tuple[Problem, ...]:
    """Warnings in text order. `tools` are all tools ever seen; None skips warnings about tools."""
    values = values_of(document)
    rules = rules_in(values)
    findings = [
        *_about_document(values),
        *about_limits(rules, observed=mapping(values.get("defaults")).get("mode") == "observe"),
        *_about_rules(rules),
        *about_tools(values, rules, ToolNames(tools)),
    ]
    return tuple(_placed(document, findings))


def _about_document(values: Mapping[str, object]) -> Iterator[Finding]:
    if values.get("observe_alongside"):
        path = ("observe_alongside",)
        message = "`observe_alongside` has no effect on a document that agents fetch."
        yield Finding(path, message, at_key=True)


def _about_rules(rules: Iterable[dict[str, object]]) -> Iterator[Finding]:
    for place, rule in enumerate(rules):
        path = ("rules", place)
        yield from about_conditions(rule, path)
        if action_of(rule) != "ask":
            yield from _waiting_for_nobody(rule, path)


def _waiting_for_nobody(rule: dict[str, object], path: Path) -> Iterator[Finding]:
    above, says = (path, rule)
    if rule.get("type") != "sandbox":
        above, says = (*path, "then"), mapping(rule.get("then"))
    for key, words in (
        ("timeout", "`timeout`"),
        ("timeout_action", "What happens after a timeout"),
    ):
        if key in says:
            message = f"{words} has no effect: the action isn't `ask`."
            yield Finding((*above, key), message, at_key=True)


def _placed(document: Document, findings: list[Finding]) -> list[Problem]:
    authored = [_authored(finding, document.dialect) for finding in findings]
    positions = locate(document.text, {(each.path, each.at_key) for each in authored})
    problems = []
    for each in authored:
        line, column = positions.get((each.path, each.at_key), (1, 1))
        problem = Problem(
            message=each.message,
            path=path_text(each.path),
            line=line,
            column=column,
            fix=each.fix if (each.path, each.at_key) in positions else "",
        )
        problems.append(problem)
    problems.sort(key=lambda each: (each.line or 0, each.column or 0))
    if len(problems) > MOST:
        more = f"There are {len(problems) - MOST:,} more warnings like these."
        problems[MOST:] = [replace(problems[MOST], message=more, fix="")]
    return problems


def _authored(finding: Finding, dialect: Dialect) -> Finding:
    return replace(finding, path=swap_path(finding.path)) if dialect is Dialect.OLD else finding
