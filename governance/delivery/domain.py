"""Assignments of bundles to agents, and the document of a stop."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from governance.matching.globs import glob_matches
from governance.texts.dialect import Dialect
from governance.texts.document import read_document


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One assignment of an environment; its number grows with every change."""

    number: int
    bundle: str
    agent: str = "*"  # a glob
    tags: Mapping[str, str] = field(default_factory=dict)
    priority: int = 0

    @property
    def rank(self) -> tuple[int, int, int]:
        return (self.priority, len(self.tags), self.number)

    def has_tags_of(self, tags: Mapping[str, str]) -> bool:
        return all(tags.get(name) == value for name, value in self.tags.items())


def assigned(rules: Iterable[Rule], agent: str, tags: Mapping[str, str]) -> str | None:
    bringing = (rule for rule in fitting(rules, agent) if rule.has_tags_of(tags))
    return next((rule.bundle for rule in bringing), None)


def assignable(rules: Iterable[Rule], agent: str) -> list[str]:
    """Bundles this agent may get with any tags, for callers that don't know its tags."""
    bundles: list[str] = []
    for rule in fitting(rules, agent):
        bundles.append(rule.bundle)
        if not rule.tags:
            break  # it matches any tags, so no rule below is ever reached
    return list(dict.fromkeys(bundles))


def fitting(rules: Iterable[Rule], agent: str) -> list[Rule]:
    """Rules whose glob matches the agent, best match first."""
    matching = [rule for rule in rules if glob_matches(rule.agent, agent)]
    return sorted(matching, key=lambda rule: rule.rank, reverse=True)


MESSAGE = "Stopped by an operator of the console: no tool may be called until the stop is lifted."

# Changing a byte changes the hash, which identifies events of stopped agents.
_IN_NEW = f"""\
apiVersion: edictum/v1
kind: Ruleset
metadata:
  name: stopped
  description: Blocks every call while a stop stands
defaults:
  mode: enforce
rules:
  - id: stopped
    type: pre
    mode: enforce
    tool: "*"
    when:
      tool.name: {{exists: true}}
    then:
      action: block
      message: "{MESSAGE}"
"""
_DOCUMENT = read_document(_IN_NEW)

STOPPED = {dialect: _DOCUMENT.text_in(dialect).encode() for dialect in Dialect}
STOPPED_HASHES = {dialect: sha256(STOPPED[dialect]).hexdigest() for dialect in Dialect}


def is_stopped_by(policy_version: str | None) -> bool:
    """Whether an agent that reports this version has acknowledged a stop."""
    return policy_version is not None and policy_version.lower() in STOPPED_HASHES.values()
