"""State of an agent's turn: time budget, blocked tools and earlier calls."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, MutableSet
from dataclasses import dataclass, field
from typing import Any, Protocol

from edictum_site_client.executor.tools import ToolSpec
from edictum_site_client.plain_json import TooLarge, json_value

LARGEST_ARGUMENTS = 1_000_000  # characters; larger ones are not compared


class TurnBudget:
    """Time budget of a turn; starts when created."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    @property
    def remaining_s(self) -> float:
        return max(0.0, self._end - self._clock())

    @property
    def expired(self) -> bool:
        return self.remaining_s <= 0


class ReplayControl:
    """Calls of a turn that succeeded or failed, by tool and arguments."""

    def __init__(self) -> None:
        self._succeeded: set[tuple[str, str]] = set()
        self._failed: set[tuple[str, str]] = set()

    def record_success(self, name: str, arguments: Any, spec: ToolSpec) -> None:
        if (key := _key(name, arguments)) is not None:
            self._succeeded.add(key)

    def record_failure(self, name: str, arguments: Any, spec: ToolSpec) -> None:
        if (key := _key(name, arguments)) is not None:
            self._failed.add(key)

    def succeeded(self, name: str, arguments: Any, spec: ToolSpec) -> bool:
        return _key(name, arguments) in self._succeeded

    def failed(self, name: str, arguments: Any, spec: ToolSpec) -> bool:
        return _key(name, arguments) in self._failed


def _key(name: str, arguments: Any) -> tuple[str, str] | None:
    """Key of a call, independent of argument order; None if the arguments are too large."""
    try:
        plain = json_value(arguments, LARGEST_ARGUMENTS)
    except TooLarge:
        return None
    return name, json.dumps(plain, sort_keys=True)


class Replay(Protocol):
    def record_success(self, name: str, arguments: Any, spec: ToolSpec) -> None: ...

    def record_failure(self, name: str, arguments: Any, spec: ToolSpec) -> None: ...

    def succeeded(self, name: str, arguments: Any, spec: ToolSpec) -> bool: ...


class State(Protocol):
    """Turn state that an executor needs; it can also have a `budget`."""

    @property
    def blocked_tool_names(self) -> MutableSet[str]: ...

    @property
    def replay_control(self) -> Replay: ...


@dataclass
class TurnState:
    """State of one turn; create a new one for each turn."""

    budget: TurnBudget | None = None
    blocked_tool_names: set[str] = field(default_factory=set)
    replay_control: ReplayControl = field(default_factory=ReplayControl)


def budget_of(state: State) -> TurnBudget | None:
    budget: TurnBudget | None = getattr(state, "budget", None)
    return budget
