"""A short session as agents count it: the call at which one of the limits stops it first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from governance.core.session_limits import MaxAttempts, MaxExecutions, SessionLimit

# What is asked is taken as granted, so it runs; agents look at no limit on executions then.
Before: TypeAlias = Literal["runs", "asks", "denied"]


@dataclass(frozen=True, slots=True)
class Stop:
    number: int
    rules: tuple[str, ...]


def first_stop(limits: Sequence[SessionLimit], calls: Iterable[tuple[str, Before]]) -> Stop | None:
    """Of calls, each with its tool, in their order."""
    executions = 0
    by_tool: dict[str, int] = {}
    for number, (tool, before) in enumerate(calls, start=1):
        for limit in limits:
            match limit:
                case MaxAttempts(value=most):
                    reached = number >= most  # this one is among them: N lets N-1 pass
                case MaxExecutions(value=most):
                    reached = before == "runs" and executions >= most
                case _:
                    reached = (
                        before == "runs"
                        and limit.tool == tool
                        and by_tool.get(tool, 0) >= limit.value
                    )
            if reached:
                return Stop(number, limit.rule_ids if not limit.assumed else (limit.kind,))
        if before != "denied":
            executions += 1
            by_tool[tool] = by_tool.get(tool, 0) + 1
    return None
