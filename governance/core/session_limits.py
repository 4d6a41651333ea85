"""Session limits, and the calls at which three ways of counting hit them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, NotRequired, TypedDict

from governance.core.verdict import Verdict

# Limits that the SDKs enforce without any session rule. A rule can only lower them.
SDK_MAX_ATTEMPTS: Final = 500
SDK_MAX_EXECUTIONS: Final = 200
NAMED: Final = 200  # characters of a limit's name


@dataclass(frozen=True, slots=True)
class MaxAttempts:
    kind: ClassVar = "max_attempts"
    tool: ClassVar[str | None] = None
    value: int
    rule_ids: tuple[str, ...] = field(default=(), kw_only=True)
    assumed: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class MaxExecutions:
    kind: ClassVar = "max_tool_calls"
    tool: ClassVar[str | None] = None
    value: int
    rule_ids: tuple[str, ...] = field(default=(), kw_only=True)
    assumed: bool = field(default=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class MaxExecutionsOfTool:
    kind: ClassVar = "max_calls_per_tool"
    tool: str
    value: int
    rule_ids: tuple[str, ...] = field(default=(), kw_only=True)
    assumed: bool = field(default=False, kw_only=True)


SessionLimit = MaxAttempts | MaxExecutions | MaxExecutionsOfTool


def name_of(limit: SessionLimit) -> str:
    """Name of a limit in lists: the rules that set it, and what it counts."""
    kind = limit.kind if limit.tool is None else f"{limit.kind}: {limit.tool}"
    stated = "SDK" if limit.assumed else " and ".join(limit.rule_ids)
    return f"{stated}, {kind}"[:NAMED] if stated else kind[:NAMED]


class LimitsOfRule(TypedDict):
    max_attempts: NotRequired[int]
    max_tool_calls: NotRequired[int]
    max_calls_per_tool: NotRequired[dict[str, int]]


class SessionRule(TypedDict):
    """A session rule as written in the document."""

    id: str
    limits: LimitsOfRule


def limits_of(
    session_rules: Iterable[SessionRule], *, assume_sdk: bool = False
) -> tuple[SessionLimit, ...]:
    """Limits of a document in the SDK's order; each is the lowest that its rules set.

    With `assume_sdk`, the SDK's own limits are added if a limit is higher or missing.
    """
    attempts = _Stated()
    executions = _Stated()
    of_tools: dict[str, _Stated] = {}
    for rule in session_rules:
        limits, rule_id = rule["limits"], rule["id"]
        if (value := limits.get("max_attempts")) is not None:
            attempts.add(value, rule_id)
        if (value := limits.get("max_tool_calls")) is not None:
            executions.add(value, rule_id)
        for tool, value in limits.get("max_calls_per_tool", {}).items():
            of_tools.setdefault(tool, _Stated()).add(value, rule_id)

    stated_limits: list[SessionLimit] = []
    if attempts.value is not None:
        stated_limits.append(MaxAttempts(attempts.value, rule_ids=attempts.rule_ids))
    if assume_sdk and attempts.exceeds(SDK_MAX_ATTEMPTS):
        stated_limits.append(
            MaxAttempts(SDK_MAX_ATTEMPTS, rule_ids=attempts.rule_ids, assumed=True)
        )
    if executions.value is not None:
        stated_limits.append(MaxExecutions(executions.value, rule_ids=executions.rule_ids))
    if assume_sdk and executions.exceeds(SDK_MAX_EXECUTIONS):
        stated_limits.append(
            MaxExecutions(SDK_MAX_EXECUTIONS, rule_ids=executions.rule_ids, assumed=True)
        )
    for tool, stated in of_tools.items():
        if stated.value is not None:
            stated_limits.append(MaxExecutionsOfTool(tool, stated.value, rule_ids=stated.rule_ids))
    return tuple(stated_limits)


class _Stated:
    """Lowest value set by any rule, and the ids of all rules that set one."""

    def __init__(self) -> None:
        self.value: int | None = None
        self.rule_ids: tuple[str, ...] = ()

    def add(self, value: int, rule_id: str) -> None:
        self.value = value if self.value is None else min(self.value, value)
        self.rule_ids += (rule_id,)

    def exceeds(self, most: int) -> bool:
        return self.value is None or self.value > most


@dataclass(frozen=True, slots=True)
class LimitReading:
    """Number of the call that hits the limit under each way of counting."""

    by_execution: int | None
    by_reported: int | None
    by_classified: int | None


def read_limit(
    limit: SessionLimit, *, reported: Sequence[Verdict | None], classified: Sequence[Verdict | None]
) -> LimitReading:
    """Apply a limit to the calls that it counts, in order. All of them ran.

    A limit on attempts ignores verdicts, so all three numbers are equal.
    """
    by_execution = _reached(limit.value, [True] * len(reported))
    if isinstance(limit, MaxAttempts):
        return LimitReading(by_execution, by_execution, by_execution)
    return LimitReading(
        by_execution=by_execution,
        by_reported=_reached(limit.value, [v is Verdict.SUCCESS for v in reported]),
        by_classified=_reached(limit.value, [v is Verdict.SUCCESS for v in classified]),
    )


def _reached(value: int, counted: Sequence[bool]) -> int | None:
    count = 0
    for number, counts in enumerate(counted, start=1):
        count += counts
        if counts and count == value:
            return number
    return None
