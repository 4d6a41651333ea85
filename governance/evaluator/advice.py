"""What the library accepts and an author would not expect. Warnings never refuse a document."""

import re
import time
from collections.abc import Iterator
from typing import Any

from governance.evaluator.backtracking import hopeless_text
from governance.evaluator.expressions import leaves, patterns
from governance.evaluator.limits import limits_in
from governance.evaluator.messages import Finding
from governance.evaluator.schema_errors import short

# A selector that nobody resolves is accepted, and its condition is never met.
_SELECTOR = re.compile(
    r"environment|tool\.name|output\.text|(args|env|metadata|principal\.claims)\..+"
    r"|principal\.(user_id|service_id|org_id|role|ticket_ref)"
)
_TRYING = 0.5  # seconds of the processor, for all patterns of a document
_CAPS = {"max_tool_calls": 200, "max_attempts": 500}


def warnings_about(document: dict[str, Any]) -> list[Finding]:
    return [*_about_document(document), *_about_rules(document), *_about_patterns(document)]


def _about_document(document: dict[str, Any]) -> Iterator[Finding]:
    if document.get("observe_alongside"):
        yield Finding("no_effect", ["observe_alongside"], at_key=True, names=["observe_alongside"])


def _about_rules(document: dict[str, Any]) -> Iterator[Finding]:
    for place, rule in enumerate(document["rules"]):
        path: list[str | int] = ["rules", place]
        for leaf_path, selector, _ in leaves(rule.get("when"), [*path, "when"]):
            if not _SELECTOR.fullmatch(selector):
                yield Finding("unknown_selector", leaf_path, at_key=True, names=[selector])
            elif selector.startswith("env."):
                yield Finding("environment_here", leaf_path, at_key=True, names=[selector])
        if rule["type"] == "session":
            yield from _about_limits(rule, path)


def _about_patterns(document: dict[str, Any]) -> Iterator[Finding]:
    end = time.process_time() + _TRYING
    for path, pattern in patterns(document):
        if time.process_time() < end and (text := hopeless_text(pattern)):
            yield Finding("hopeless", path, names=[short(pattern), short(text)])


def _about_limits(rule: dict[str, Any], path: list[str | int]) -> Iterator[Finding]:
    if rule.get("mode") == "observe":
        yield Finding("observed_limit", [*path, "mode"], at_key=True)
    limits = limits_in(rule)
    for name, cap in _CAPS.items():
        if (value := limits.get(name)) is None:
            continue
        at: list[str | int] = [*path, "limits", name]
        if value > cap:
            yield Finding("capped", at, at_key=True, names=[name, str(value), str(cap)])
        elif name == "max_attempts":
            yield Finding("one_less", at, at_key=True, names=[str(value)])
    for tool in limits.get("max_calls_per_tool", {}):
        if any(sign in tool for sign in "*?["):
            at = [*path, "limits", "max_calls_per_tool", tool]
            yield Finding("glob_limit", at, at_key=True, names=[tool])
