"""Cases: the expected decision on a call, or the call at which a limit stops a session."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, TypeAlias, assert_never

from governance.core.json_value import Json

CaseAction: TypeAlias = Literal["allow", "warn", "ask", "redact", "block"]
ACTIONS: Final[tuple[CaseAction, ...]] = ("allow", "warn", "ask", "redact", "block")
PRODUCTION: Final = "production"
_WORDS: Final[dict[str, str]] = {
    "allow": "allowed",
    "warn": "allowed with a warning",
    "ask": "asks",
    "redact": "output redacted",
    "block": "denied",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCall:
    tool: str
    args: dict[str, Json] = field(default_factory=dict)
    principal: dict[str, Json] | None = None
    output: str | None = None  # without it, no post rule is evaluated
    environment: str = PRODUCTION
    times: int = 1  # repetitions in a session


@dataclass(frozen=True, slots=True, kw_only=True)
class Decides:
    kind: ClassVar = "call"
    call: CaseCall
    action: CaseAction
    rule: str = ""  # must be among the rules that decide; empty: any rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Stops:
    kind: ClassVar = "session"
    calls: tuple[CaseCall, ...]
    stopped_at: int | None = None  # number of the call; None: no limit stops any
    rule: str = ""


Expectation = Decides | Stops


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    expects: Expectation

    @property
    def calls(self) -> tuple[CaseCall, ...]:
        match self.expects:
            case Decides(call=call):
                return (call,)
            case Stops(calls=calls):
                return calls
            case _ as never:
                assert_never(never)


def words_of(action: str, rules: Sequence[str]) -> str:
    return by_rules(_WORDS[action], rules)


def by_rules(words: str, rules: Sequence[str]) -> str:
    return f"{words} by {', '.join(f'`{rule}`' for rule in rules)}" if rules else words
