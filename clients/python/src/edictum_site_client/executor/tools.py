"""Tools and tool calls of an executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any


class PermanentFailure(Exception):
    """Raised by a tool for an error that a retry won't fix: the outcome is not retryable."""


@dataclass(frozen=True)
class ToolCall:
    """Tool call as requested by the model; its arguments may be JSON text."""

    call_id: str
    tool_name: str
    arguments: Any = field(default_factory=dict)


@dataclass(frozen=True)
class ToolSpec:
    """A tool's function, sync or async, and the settings that the executor needs."""

    name: str
    function: Callable[..., Any]
    deadline_s: float | None = None  # None: use the executor's
    idempotent: bool = False  # after a success, the same call is denied as a duplicate
    writes: bool = False  # needs confirmation
    metadata: Mapping[str, Any] = field(default_factory=dict)

    @property
    def retry_on_timeout(self) -> bool:
        return bool(self.metadata.get("retry_on_timeout", True))


Tools = Iterable[ToolSpec | Callable[..., Any]]


def by_name(tools: Tools) -> dict[str, ToolSpec]:
    specs: dict[str, ToolSpec] = {}
    for tool in tools:
        spec = tool if isinstance(tool, ToolSpec) else ToolSpec(_name(tool), tool)
        if not callable(spec.function):
            raise TypeError(f"The function of the tool {spec.name!r} is not callable.")
        if spec.deadline_s is not None and not spec.deadline_s > 0:
            raise ValueError(f"The deadline of the tool {spec.name!r} is not above 0 seconds.")
        if spec.name in specs:
            raise ValueError(f"Two tools are called {spec.name!r}.")
        specs[spec.name] = spec
    return specs


def _name(function: Any) -> str:
    name = getattr(function, "__name__", "")
    if not callable(function) or not name or name == "<lambda>":
        raise TypeError(f"{function!r} has no name to call it by: use ToolSpec(name, function).")
    return str(name)
