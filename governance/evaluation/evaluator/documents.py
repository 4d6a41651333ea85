"""Documents compiled by the library, in a small LRU cache."""

import time
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import yaml
from edictum import Edictum, EdictumConfigError
from edictum.audit import CollectingAuditSink

from governance.evaluation.evaluator.advice import warnings_about
from governance.evaluation.evaluator.call_budget import BUDGET, BudgetSpent
from governance.evaluation.evaluator.expressions import leaves
from governance.evaluation.evaluator.limits import limits_in
from governance.evaluation.evaluator.messages import (
    STOPPED,
    Finding,
    Loaded,
    NotEvaluated,
    RuleType,
    SessionRule,
)
from governance.evaluation.evaluator.problems import findings_in, library_says, unreadable_values

SHELF = 16

# Errors that the library doesn't catch, as for an invalid date or an integer of 5,000 digits.
UNREADABLE = (ArithmeticError, AttributeError, ImportError, LookupError, TypeError, ValueError)


@dataclass(frozen=True, slots=True)
class Rule:
    """Parts of a rule that are missing from the compiled one."""

    id: str
    type: RuleType | Literal["session"]
    enabled: bool
    action: str
    message: str
    looks_at: tuple[str, ...]  # selectors; for a sandbox its boundaries


@dataclass(frozen=True, slots=True, eq=False)  # hashed by identity, for caches
class Contract:
    guard: Edictum
    rules: tuple[Rule, ...]
    actions: dict[str, str]  # by rule, as written: the library's result lacks it


class Shelf:
    def __init__(self) -> None:
        self._contracts: OrderedDict[str, Contract] = OrderedDict()

    def take(self, sha: str) -> Contract | None:
        if sha in self._contracts:
            self._contracts.move_to_end(sha)
        return self._contracts.get(sha)

    def load(self, sha: str, text: str, patience: float) -> Loaded | NotEvaluated:
        """Compile and cache a document. `patience` is in CPU seconds for all work on it."""
        end = time.process_time() + patience
        try:
            with BUDGET.of(patience):
                compiled = compile_document(text)
                if not isinstance(compiled, Edictum):
                    return Loaded(errors=compiled)
                document = yaml.load(text, Loader=yaml.CSafeLoader)
                rules = tuple(_rule(each) for each in document["rules"])
        except BudgetSpent:
            return NotEvaluated("evaluation_limit", STOPPED + "It took too long.")
        self._contracts[sha] = Contract(compiled, rules, {rule.id: rule.action for rule in rules})
        if len(self._contracts) > SHELF:
            self._contracts.popitem(last=False)
        return Loaded(
            warnings=warnings_about(document, seconds=end - time.process_time()),
            name=document["metadata"]["name"],
            rules=len(rules),
            session_rules=session_rules_of(document),
        )


def compile_document(text: str) -> Edictum | list[Finding]:
    try:
        # Pass a sink, or the library creates the one that the document configures.
        return Edictum.from_yaml_string(text, audit_sink=CollectingAuditSink())
    except EdictumConfigError as error:
        if isinstance(error.__cause__, yaml.YAMLError):  # an unknown tag
            return unreadable_values(text) or [library_says(error)]
        return findings_in(text) or [library_says(error)]
    except RecursionError:
        return _too_deep(text)
    except UNREADABLE as error:
        return unreadable_values(text) or [library_says(error)]


def _too_deep(text: str) -> list[Finding]:
    try:
        findings = findings_in(text)  # one pattern may be the cause
    except RecursionError:
        findings = []
    return findings or [Finding("too_deep", [])]


def _rule(rule: dict[str, Any]) -> Rule:
    is_sandbox = rule["type"] == "sandbox"
    return Rule(
        rule["id"],
        rule["type"],
        rule.get("enabled", True),
        str(rule.get("outside", "block") if is_sandbox else rule["then"]["action"]),
        str(rule["message"] if is_sandbox else rule["then"]["message"]),
        tuple(_boundaries_of(rule) if is_sandbox else _selectors_of(rule)),
    )


def _selectors_of(rule: dict[str, Any]) -> Iterable[str]:
    return dict.fromkeys(selector for _, selector, _ in leaves(rule.get("when"), []))


def _boundaries_of(rule: dict[str, Any]) -> Iterator[str]:
    if "within" in rule:
        yield "paths"
    yield "command"  # chained commands are outside every sandbox
    if "domains" in {*rule.get("allows", ()), *rule.get("not_allows", ())}:
        yield "domains"


def session_rules_of(document: dict[str, Any]) -> list[SessionRule]:
    mode = document["defaults"]["mode"]
    return [
        SessionRule(rule["id"], limits_in(rule), rule.get("mode", mode))
        for rule in document["rules"]
        if rule["type"] == "session" and rule.get("enabled", True)
    ]
