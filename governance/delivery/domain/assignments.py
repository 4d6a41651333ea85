"""Which bundle an agent gets that names none: higher priority, then more tags, then newest."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from governance.matching.globs import glob_matches


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
    """Each bundle that some tags may bring this agent, for those who cannot know its tags."""
    found: list[str] = []
    for rule in fitting(rules, agent):
        found.append(rule.bundle)
        if not rule.tags:
            break  # it fits whatever the tags are, so nothing below is ever reached
    return list(dict.fromkeys(found))


def fitting(rules: Iterable[Rule], agent: str) -> list[Rule]:
    """Those whose glob matches the agent, whatever its tags are; best first."""
    matching = [rule for rule in rules if glob_matches(rule.agent, agent)]
    return sorted(matching, key=lambda rule: rule.rank, reverse=True)
