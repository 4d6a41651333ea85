"""Outputs that no rule classifies as failures, although built-in checks know their shape as one.

Only structure counts, never words in a text: the library marks the rules that qualify. Each of its
checks is evaluated as a whole, since an earlier rule may be more specific.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Final, NamedTuple

from governance.checks.language.named import NamedCheck
from governance.checks.language.shipped import shipped
from governance.checks.language.shipped.rows import suggested
from governance.core.json_value import Json
from governance.core.verdict import Verdict
from governance.matching.canonical import shown
from outcomes.suggestions.domain.shapes import Shape, shape_of

# What decides if no rule matches. A rule that says success was written on purpose, so it counts.
FELL_THROUGH: Final = frozenset(("otherwise", "null"))
SAMPLES: Final = 5  # shapes shown with one output each
SEEN: Final = 4  # values shown that a rule matched
LONGEST_VALUE: Final = 200
_STEP: Final = re.compile(r"result|\.[A-Za-z_$@][A-Za-z0-9_$@-]*|\|json")


class Known(NamedTuple):
    """A built-in rule, and the value that it matched in an output."""

    check: str
    rule: str
    selector: str
    value: Json


class Seen(NamedTuple):
    """An output that counts as success."""

    number: int
    call_id: str
    environment: str
    agent: str
    at: datetime
    judge: str


@cache
def _library() -> Mapping[str, tuple[NamedCheck, frozenset[str]]]:
    """Built-in checks that suggest rules, specific ones first, with these rules."""
    rules: dict[str, set[str]] = defaultdict(set)
    for check, rule in suggested():
        rules[check].add(rule)
    return {check: (NamedCheck(shipped()[check]), frozenset(of)) for check, of in rules.items()}


def known_failure(tool: str, output: Json, elapsed_ms: float | None) -> Known | None:
    for name, (check, rules) in _library().items():
        explanation = check.explain(tool, output, elapsed_ms)
        if explanation.verdict == Verdict.FAILURE.value and explanation.rule in rules:
            selector = _where(explanation.selector or "", explanation.value, output)
            return Known(name, explanation.rule, selector, explanation.value)
    return None


def _where(selector: str, value: Json, output: Json) -> str:
    """Alternative of a selector that had the value, if it can be identified."""
    for alternative in selector.split(" ?? "):
        inner: Json = output
        base, *steps = _STEP.findall(alternative)
        for step in steps:
            if step == "|json":
                inner = _parsed(inner)
            else:
                inner = inner.get(step[1:]) if isinstance(inner, dict) else None
        is_plain = "".join([base, *steps]) == alternative
        if is_plain and base == "result" and inner is not None and shown(inner) == value:
            return alternative
    return selector


def _parsed(text: Json) -> Json:
    try:
        parsed: Json = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return None
    return parsed


@dataclass(slots=True)
class Finding:
    """Outputs of one tool that one rule classifies as failures."""

    results: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    judges: Counter[str] = field(default_factory=Counter)
    saw: Counter[tuple[str, str]] = field(default_factory=Counter)
    shapes: Counter[Shape] = field(default_factory=Counter)
    newest: dict[Shape, Seen] = field(default_factory=dict)
    calls: set[int] = field(default_factory=set)

    def add(self, seen: Seen, known: Known, output: Json) -> None:
        self.results += 1
        self.calls.add(seen.number)
        self.first_at = min(self.first_at or seen.at, seen.at)
        self.last_at = max(self.last_at or seen.at, seen.at)
        self.judges[seen.judge] += 1
        self.saw[known.selector, _written(known.value)] += 1
        shape = shape_of(output)
        self.shapes[shape] += 1
        if shape not in self.newest or self.newest[shape].at < seen.at:
            self.newest[shape] = seen

    @property
    def judge(self) -> str:
        """Check that decided most of them."""
        return max(sorted(self.judges), key=lambda name: self.judges[name])

    def saw_most(self) -> list[list[Any]]:
        return [[selector, value, number] for (selector, value), number in _most(self.saw)[:SEEN]]

    def samples(self) -> list[dict[str, Any]]:
        return [
            {
                "shape": shape.text,
                "results": number,
                "call": self.newest[shape].call_id,
                "environment": self.newest[shape].environment,
                "agent": self.newest[shape].agent,
                "at": self.newest[shape].at.isoformat(),
            }
            for shape, number in _most(self.shapes)[:SAMPLES]
        ]


@dataclass(slots=True)
class ToolScan:
    """Scan of one tool's newest outputs."""

    tool: str
    of: int = 0
    since: datetime | None = None  # older outputs were not scanned; none: all were
    findings: dict[tuple[str, str], Finding] = field(default_factory=dict)

    def add(self, seen: Seen, output: Json, elapsed_ms: float | None) -> None:
        known = known_failure(self.tool, output, elapsed_ms)
        if known is not None:
            place = known.check, known.rule
            self.findings.setdefault(place, Finding()).add(seen, known, output)


def _written(value: Json) -> str:
    return json.dumps(value, sort_keys=True)[:LONGEST_VALUE]


def _most(counted: "Counter[Any]") -> list[tuple[Any, int]]:
    return sorted(counted.items(), key=lambda item: (-item[1], item[0]))
