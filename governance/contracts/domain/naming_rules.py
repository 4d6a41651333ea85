"""Rules of a contract that name a tool."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from governance.contracts.domain.rule_aspects import rule_id, rule_in_words
from governance.texts.document import Document
from governance.texts.outline import outline
from governance.texts.plain_document import mapping, rules_in, tools_of, values_of

EVERY: Final = "*"


@dataclass(frozen=True, slots=True)
class NamingRule:
    id: str
    line: int  # first line in its text; 0 if unknown
    says: str
    patterns: tuple[str, ...]
    tools: tuple[str, ...]  # with a limit, by their exact names

    def names(self, tool: str) -> bool:
        return tool in self.tools or any(fnmatchcase(tool, each) for each in self.patterns)


def naming_rules(document: Document) -> tuple[NamingRule, ...]:
    """Rules that apply to specific tools only."""
    values = values_of(document)
    mode = str(mapping(values.get("defaults")).get("mode", "enforce"))
    lines = {each.id: each.line for each in outline(document)}
    rules = []
    for place, rule in enumerate(rules_in(values)):
        patterns = tuple(each for each in tools_of(rule) if each != EVERY)
        tools = tuple(_limited(rule))
        if patterns or tools:
            name = rule_id(rule, place)
            says = rule_in_words(rule, mode)
            rules.append(NamingRule(name, lines.get(name, 0), says, patterns, tools))
    return tuple(rules)


def _limited(rule: Mapping[str, Any]) -> list[str]:
    return list(mapping(mapping(rule.get("limits")).get("max_calls_per_tool")))
