"""Cases: what a contract must say of a call, or where a limit must stop a session."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final, Literal, TypeAlias, assert_never

from governance.cases.domain.sessions import Before, Stop, first_stop
from governance.contracts.domain.session_limits import SessionLimit
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
    output: str | None = None  # without it no post rule is asked
    environment: str = PRODUCTION
    times: int = 1  # one after the other, in a session


@dataclass(frozen=True, slots=True, kw_only=True)
class Decides:
    kind: ClassVar = "call"
    call: CaseCall
    action: CaseAction
    rule: str = ""  # one of those that decide so; empty: whichever does


@dataclass(frozen=True, slots=True, kw_only=True)
class Stops:
    kind: ClassVar = "session"
    calls: tuple[CaseCall, ...]
    stopped_at: int | None = None  # the number of the call; none: no limit stops any of them
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a contract says of one call."""

    action: CaseAction
    rules: tuple[str, ...] = ()  # those that decide so
    before: Before = "runs"  # what becomes of the call before the tool would run


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    name: str
    passed: bool
    expected: str
    got: str

    @property
    def words(self) -> str:
        return self.got if self.passed else f"expected {self.expected}, got {self.got}"


def judge(case: Case, said: Sequence[Said | str], limits: Sequence[SessionLimit]) -> Result:
    """`said` of each of its calls; a text says why there is no answer."""
    for each in said:
        if isinstance(each, str):
            return Result(name=case.name, passed=False, expected=expected_words(case), got=each)
    answers = [each for each in said if isinstance(each, Said)]
    match case.expects:
        case Decides() as expects:
            return _decided(case, expects, answers[0])
        case Stops() as expects:
            found = first_stop(
                limits,
                [
                    (call.tool, answer.before)
                    for call, answer in zip(expects.calls, answers, strict=True)
                    for _ in range(call.times)
                ],
            )
            return _stopped(case, expects, found)
        case _ as never:
            assert_never(never)


def expected_words(case: Case) -> str:
    match case.expects:
        case Decides(action=action, rule=rule):
            return words_of(action, (rule,) if rule else ())
        case Stops(stopped_at=number, rule=rule):
            return _stop_words(number, (rule,) if rule else ())
        case _ as never:
            assert_never(never)


def words_of(action: str, rules: Sequence[str]) -> str:
    return _by(_WORDS[action], rules)


def _decided(case: Case, expects: Decides, said: Said) -> Result:
    passed = said.action == expects.action and (not expects.rule or expects.rule in said.rules)
    return Result(
        name=case.name,
        passed=passed,
        expected=expected_words(case),
        got=words_of(said.action, said.rules),
    )


def _stopped(case: Case, expects: Stops, found: Stop | None) -> Result:
    number, rules = (found.number, found.rules) if found else (None, ())
    passed = number == expects.stopped_at and (not expects.rule or expects.rule in rules)
    return Result(
        name=case.name,
        passed=passed,
        expected=expected_words(case),
        got=_stop_words(number, rules),
    )


def _stop_words(number: int | None, rules: Sequence[str]) -> str:
    return "no call stopped" if number is None else _by(f"call {number:,} stopped", rules)


def _by(words: str, rules: Sequence[str]) -> str:
    return f"{words} by {', '.join(f'`{rule}`' for rule in rules)}" if rules else words
