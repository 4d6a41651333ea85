"""Rules of a check: condition, verdict and reason."""

import re
from dataclasses import dataclass, field
from typing import Final

from governance.checks.language.conditions import Conditions
from governance.checks.language.fields import keys_of, listed, name_of, needed, one_of
from governance.checks.language.includes import Included, Includes
from governance.checks.language.pattern_table import PatternTable
from governance.checks.language.problems import Problems
from governance.checks.language.reasons import read_reason
from governance.checks.language.tree import Keys, Listing, Node, Word
from governance.checks.language.values import text_of
from governance.core.compiled_check import Part, Rule
from governance.core.verdict import Verdict

MOST: Final = 500
MOST_WITH_INCLUDED: Final = 1_000
LONGEST_TOOL: Final = 200
RESERVED: Final = ("otherwise", "too-much-work")  # rule names in verdicts that no rule decided
VERDICTS: Final = tuple(verdict.value for verdict in Verdict)
LABELS: Final = ("timeout", "denied", "interrupted", "partial", "pending", "retryable")
KEYS: Final = ("id", "tool", "when", "verdict", "reason", "label")

_NO_GLOB = re.compile(r"[\[\]{}|,]")


@dataclass(frozen=True, slots=True)
class Rules:
    problems: Problems
    patterns: PatternTable
    included: dict[str, int] = field(default_factory=dict)  # included versions by name

    def all_of(self, document: Keys, name: str, included: Included) -> list[Rule]:
        """All rules, included ones first, so that later rules apply to what those did not match."""
        includes = Includes(self.problems, self.patterns, self.included)
        from_others = includes.rules(document, name, included)
        nodes = listed(document, "rules", self.problems, MOST)
        if len(from_others) + len(nodes) > MOST_WITH_INCLUDED:
            self.problems.at(
                nodes[MOST_WITH_INCLUDED - len(from_others)],
                f"With those of `include` there are {len(from_others) + len(nodes):,} rules; at "
                f"most {MOST_WITH_INCLUDED:,} are allowed. The limit is here.",
            )
            return []
        seen: dict[str, int] = {}
        own = [rule for node in nodes if (rule := self._own(node, seen)) is not None]
        return [*from_others, *own]

    def _own(self, node: Node, seen: dict[str, int]) -> Rule | None:
        if self.problems.full:
            return None
        keys = keys_of(node, self.problems, "A rule", KEYS)
        if keys is None:
            return None
        id_ = self._id(keys, seen)
        when = needed(keys, "when", self.problems, "the condition under which this rule decides.")
        verdict = needed(keys, "verdict", self.problems, "success, failure or unknown.")
        tool, reason, label = (keys.get(key) for key in ("tool", "reason", "label"))
        condition = Conditions(self.problems, self.patterns).read(when) if when else None
        says = one_of(verdict, VERDICTS, self.problems, "verdict") if verdict else None
        rule_label = one_of(label, LABELS, self.problems, "label") if label else None
        glob = self._tool(tool) if tool else "*"
        parts = self._reason(reason) if reason else []
        if id_ is None or condition is None or says is None or glob is None:
            return None
        return {
            "id": id_,
            "of": None,
            "of_version": None,
            "tool": glob,
            "when": condition,
            "verdict": says,
            "reason": parts,
            "label": rule_label,
        }

    def _id(self, keys: Keys, seen: dict[str, int]) -> str | None:
        node = needed(keys, "id", self.problems, "a name for the rule, shown with its verdicts.")
        id_ = name_of(node, self.problems) if node else None
        if node is None or id_ is None:
            return None
        if id_ in RESERVED:
            self.problems.at(node, f"`{id_}` is reserved. Choose another name.")
            return None
        if id_ in seen:
            self.problems.at(node, f"The rule in line {seen[id_]} already has the id `{id_}`.")
            return None
        seen[id_] = node.at.line
        return id_

    def _tool(self, node: Node) -> str | None:
        if isinstance(node, Listing):
            self.problems.at(node, "A rule has one tool or glob. Write one rule for each.")
            return None
        glob = text_of(node, self.problems)
        if glob is None:
            return None
        if not glob or len(glob) > LONGEST_TOOL:
            self.problems.at(
                node, f"A tool's name or glob has 1 to {LONGEST_TOOL} characters: `*` is any tool."
            )
            return None
        if match := _NO_GLOB.search(glob):
            self.problems.at(
                node,
                f"A tool is one glob with `*` and `?` only: `{match[0]}` has no effect.",
            )
            return None
        return glob

    def _reason(self, node: Node) -> list[Part]:
        if text_of(node, self.problems) is None or not isinstance(node, Word):
            return []
        return read_reason(node, self.problems)
