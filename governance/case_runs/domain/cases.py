"""Cases: what a contract must say of a call, or where a limit must stop a session."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never

from governance.case_runs.domain.sessions import Before, Stop, first_stop
from governance.core.cases import Case, CaseAction, Decides, Stops, by_rules, words_of
from governance.core.session_limits import SessionLimit


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
    return "no call stopped" if number is None else by_rules(f"call {number:,} stopped", rules)
