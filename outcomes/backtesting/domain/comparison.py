"""Comparison of recorded calls with the decisions of other rules."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from outcomes.record.outcome import ToolDenied
from outcomes.recorded_calls.domain import Change

_BY_RULES: Final = ("contract", "limit")
_BY_PEOPLE: Final = "approval"


class Decision(StrEnum):
    ALLOWED = "allowed"
    NEEDS_APPROVAL = "asked"
    DENIED = "denied"


@dataclass(frozen=True, slots=True)
class Recorded:
    decision: Decision
    rule: str = ""  # that decided, if the agent named one
    by_limit: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """A contract's answer about one call, without its session limits."""

    decision: Decision = Decision.ALLOWED
    rule: str = ""  # that decided
    output: str = "allow"  # what happens to the output: allow, warn, redact, block
    output_rule: str = ""
    observed: tuple[str, ...] = ()  # rules that would have stopped it, in observe mode


@dataclass(frozen=True, slots=True)
class Ruling:
    """Decision of the new rules with their limits."""

    decision: Decision
    rules: tuple[str, ...] = ()  # the one that decided; all names of a limit
    by_limit: bool = False
    output: str = "allow"
    output_rule: str = ""

    @property
    def rule(self) -> str:
        return self.rules[0] if self.rules else ""


LET_THROUGH: Final = Recorded(Decision.ALLOWED)
_NEEDS_APPROVAL: Final = Recorded(Decision.NEEDS_APPROVAL)


def recorded_of(kind: str, reason: str, rule: str, *, approval_requested: bool) -> Recorded | None:
    """Recorded decision, or None for a denial not made by a contract rule, which other rules
    wouldn't change."""
    if kind == ToolDenied.kind and reason != _BY_PEOPLE:
        if reason not in _BY_RULES:
            return None
        return Recorded(Decision.DENIED, rule, by_limit=reason == "limit")
    if approval_requested or kind == ToolDenied.kind:
        return Recorded(Decision.NEEDS_APPROVAL, rule) if rule else _NEEDS_APPROVAL
    return LET_THROUGH


_NEWLY: Final = {
    Decision.DENIED: Change.NEWLY_DENIED,
    Decision.NEEDS_APPROVAL: Change.NEWLY_ASKING,
    Decision.ALLOWED: Change.NEWLY_ALLOWED,
}


def compare(recorded: Recorded, now: Ruling, *, output_before: str = "allow") -> Change:
    """Change between the recorded and the new decision. What happened to an output isn't recorded,
    so `output_before` comes from evaluating the deployed rules again."""
    if now.decision is not recorded.decision:
        return _NEWLY[now.decision]
    if now.decision is Decision.ALLOWED:
        return Change.UNCHANGED if now.output == output_before else Change.CHANGED
    same = not recorded.rule or recorded.rule in now.rules
    return Change.UNCHANGED if same else Change.CHANGED


def drifts(recorded: Recorded, deployed: Answer) -> bool:
    """Whether the rules that governed the call now give a different decision than recorded.

    Limits are excluded: their decisions depend on the session, not on the call.
    """
    return not recorded.by_limit and deployed.decision is not recorded.decision
