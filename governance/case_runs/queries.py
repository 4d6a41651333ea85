"""Test results of a contract: run now, or stored by the last run."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from governance.case_runs.domain import Answer, Before, Result, judge
from governance.core.cases import Case as CaseSpec
from governance.core.cases import CaseCall
from governance.core.deployment_requests import Blocked
from governance.core.errors import (
    DocumentInvalid,
    EvaluationLimit,
    EvaluationUnavailable,
)
from governance.core.session_limits import (
    LimitsOfRule,
    SessionLimit,
    SessionRule,
    limits_of,
)
from governance.evaluation import engine
from governance.evaluation.engine import Evaluation, NotEvaluated, Source, ToolCall
from governance.models import Bundle, BundleVersion, Case, CaseRun
from governance.texts.document import read_document

AT_ONCE: Final = 25  # calls per evaluation; after one over the limit, the rest is skipped
NOT_RUN: Final = "not run: this contract takes too long to evaluate"


@dataclass(frozen=True, slots=True)
class Ran:
    """Results of one run; `why` says why the tests could not run."""

    results: tuple[Result, ...]
    why: str = ""
    ran_at: datetime | None = None  # set for stored results

    @property
    def failing(self) -> int:
        return sum(not each.passed for each in self.results)

    @property
    def sentence(self) -> str:
        total = len(self.results)
        if self.why:
            return "Tests could not run"
        if not total:
            return "No tests yet"
        if not self.failing:
            return "1 test passes" if total == 1 else f"All {total} tests pass"
        return f"{self.failing} of {total} tests fail"


def cases_of(bundle: Bundle) -> list[Case]:
    return list(Case.objects.filter(bundle=bundle).select_related("bundle"))


def stored_run(version: BundleVersion) -> Ran | None:
    """Results of the last run, or None if the tests never ran."""
    row = CaseRun.objects.filter(version=version).first()
    if row is None:
        return None
    results = [Result(**each) for each in json.loads(row.results)]
    return Ran(tuple(results), ran_at=row.ran_at)


def run_of(version: BundleVersion) -> Ran:
    """Run the current tests against the version; may take seconds."""
    return run_text(bytes(version.document), [case.spec() for case in cases_of(version.bundle)])


def run_text(text: bytes | str, cases: Sequence[CaseSpec]) -> Ran:
    """Run tests against a document. If it can't be evaluated, `why` says so and no test runs."""
    if not cases:
        return Ran(())
    try:
        document = read_document(text)
        read = engine.validate(document)
        if not read.valid:
            raise DocumentInvalid(read.errors)
        rules: list[SessionRule] = [
            {"id": rule.id, "limits": cast(LimitsOfRule, rule.limits)}
            for rule in read.session_rules
        ]
        return Ran(_results(document, limits_of(rules, assume_sdk=True), cases))
    except (DocumentInvalid, EvaluationLimit, EvaluationUnavailable) as refused:
        return Ran((), why=str(refused))


def blocked_by(ran: Ran) -> list[Blocked]:
    """Reasons to block a deployment because of these results."""
    if ran.why:
        return [Blocked(code="tests_failing", why=f"The tests could not run: {ran.why}")]
    failing = [each for each in ran.results if not each.passed]
    if not failing:
        return []
    first = failing[0]
    more = f" {len(failing)} of {len(ran.results)} fail." if len(failing) > 1 else ""
    why = f"The test “{first.name}” fails: {first.words}.{more} Change the contract or the test."
    return [Blocked(code="tests_failing", why=why, overridable=True)]


def tool_call(call: CaseCall) -> ToolCall:
    return ToolCall(
        tool_name=call.tool,
        tool_args=call.args,
        principal=call.principal,
        output=call.output,
        environment=call.environment,
    )


def answer_of(evaluation: Evaluation) -> Answer:
    failed = [rule for rule in evaluation.rules if not rule.passed and not rule.observed]
    stops = [rule for rule in failed if rule.type != "post"]
    if stops:  # an agent stops at the first rule that fails
        before: Before = "asks" if stops[0].action == "ask" else "denied"
        return Answer(action=evaluation.action, rules=(stops[0].id,), before=before)
    # A rule that would redact the output of a call with side effects only warns.
    by = [rule.id for rule in failed if rule.action == evaluation.action]
    return Answer(action=evaluation.action, rules=tuple(by or [rule.id for rule in failed]))


def _results(
    document: Source, limits: Sequence[SessionLimit], cases: Sequence[CaseSpec]
) -> tuple[Result, ...]:
    answers = _answers(document, [call for case in cases for call in case.calls])
    return tuple(judge(case, [next(answers) for _ in case.calls], limits) for case in cases)


def _answers(document: Source, calls: Sequence[CaseCall]) -> Iterator[Answer | str]:
    too_much = False
    for start in range(0, len(calls), AT_ONCE):
        some = calls[start : start + AT_ONCE]
        if too_much:
            yield from (NOT_RUN for _ in some)
            continue
        for result in engine.evaluate(document, [tool_call(each) for each in some]):
            if isinstance(result, NotEvaluated):
                too_much = too_much or result.code == "evaluation_limit"
                yield f"no answer: {result.detail}"
            else:
                yield answer_of(result)
