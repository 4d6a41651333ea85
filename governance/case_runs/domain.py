"""Test results: expected and actual decisions, and session limits as agents count them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, assert_never

from governance.core.cases import Case, CaseAction, Decides, Stops, by_rules, words_of
from governance.core.session_limits import MaxAttempts, MaxExecutions, SessionLimit

# Calls that ask count as approved, so they run; agents don't check execution limits for them.
Before: TypeAlias = Literal["runs", "asks", "denied"]


@dataclass(frozen=True, slots=True)
class Stop:
    number: int
    rules: tuple[str, ...]


def first_stop(limits: Sequence[SessionLimit], calls: Iterable[tuple[str, Before]]) -> Stop | None:
    """First call that a limit stops, given the tools of the calls in order."""
    executions = 0
    by_tool: dict[str, int] = {}
    for number, (tool, before) in enumerate(calls, start=1):
        for limit in limits:
            match limit:
                case MaxAttempts(value=most):
                    reached = number >= most  # this attempt counts, so N allows N-1
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A contract's decision on one call."""

    action: CaseAction
    rules: tuple[str, ...] = ()  # rules that made the decision
    before: Before = "runs"  # decision before the tool runs


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    name: str
    passed: bool
    expected: str
    got: str

    @property
    def words(self) -> str:
        return self.got if self.passed else f"expected {self.expected}, got {self.got}"


def judge(case: Case, answers: Sequence[Answer | str], limits: Sequence[SessionLimit]) -> Result:
    """Compare a test with the decisions on its calls; a str is the reason for having none."""
    for each in answers:
        if isinstance(each, str):
            return Result(name=case.name, passed=False, expected=expected_words(case), got=each)
    evaluated = [each for each in answers if isinstance(each, Answer)]
    match case.expects:
        case Decides() as expects:
            return _decided(case, expects, evaluated[0])
        case Stops() as expects:
            stop = first_stop(
                limits,
                [
                    (call.tool, answer.before)
                    for call, answer in zip(expects.calls, evaluated, strict=True)
                    for _ in range(call.times)
                ],
            )
            return _stopped(case, expects, stop)
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


def _decided(case: Case, expects: Decides, answer: Answer) -> Result:
    passed = answer.action == expects.action and (not expects.rule or expects.rule in answer.rules)
    return Result(
        name=case.name,
        passed=passed,
        expected=expected_words(case),
        got=words_of(answer.action, answer.rules),
    )


def _stopped(case: Case, expects: Stops, stop: Stop | None) -> Result:
    number, rules = (stop.number, stop.rules) if stop else (None, ())
    passed = number == expects.stopped_at and (not expects.rule or expects.rule in rules)
    return Result(
        name=case.name,
        passed=passed,
        expected=expected_words(case),
        got=_stop_words(number, rules),
    )


def _stop_words(number: int | None, rules: Sequence[str]) -> str:
    return "no call stopped" if number is None else by_rules(f"call {number:,} stopped", rules)
