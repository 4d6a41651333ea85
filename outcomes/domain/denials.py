"""What denied calls add up to: by reason, rule, tool and agent, beside the time before."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Rule(NamedTuple):
    """A rule of one version of a contract; what nobody told is empty, or zero."""

    name: str
    contract: str
    version: int


class Alike(NamedTuple):
    """What denied calls have in common."""

    reason: str
    rule: Rule
    tool: str
    agent: str


class DeniedAlike(NamedTuple):
    """So many of them. Without a step they are of the time before."""

    alike: Alike
    step: int | None
    calls: int


@dataclass(slots=True)
class Sum:
    calls: int = 0
    before: int = 0
    steps: list[int] = field(default_factory=list)

    def add(self, each: DeniedAlike) -> None:
        if each.step is None:
            self.before += each.calls
        else:
            self.calls += each.calls
            self.steps[each.step] += each.calls


@dataclass(frozen=True, slots=True)
class Denials:
    number_of_steps: int
    all: Sequence[DeniedAlike]

    @property
    def whole(self) -> Sum:
        return self.by(lambda _: "").get("", self._none())

    @property
    def by_reason(self) -> dict[str, Sum]:
        return self.by(lambda alike: alike.reason)

    @property
    def by_rule(self) -> dict[Rule, Sum]:
        """Of the calls of which a rule is told."""
        found = self.by(lambda alike: alike.rule)
        return {rule: each for rule, each in found.items() if rule.name}

    @property
    def by_tool(self) -> dict[str, Sum]:
        return self.by(lambda alike: alike.tool)

    @property
    def by_agent(self) -> dict[str, Sum]:
        return self.by(lambda alike: alike.agent)

    def by(self, key: Callable[[Alike], Key]) -> dict[Key, Sum]:
        """The most frequent first; those of the time before alone come last."""
        found: dict[Key, Sum] = {}
        for each in self.all:
            found.setdefault(key(each.alike), self._none()).add(each)
        in_order = sorted(found, key=lambda one: (-found[one].calls, -found[one].before, str(one)))
        return {one: found[one] for one in in_order}

    def _none(self) -> Sum:
        return Sum(steps=[0] * self.number_of_steps)
