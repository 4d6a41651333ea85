"""Tests and their results over HTTP."""

from datetime import datetime
from typing import Annotated, Any, Self, assert_never

from ninja import Schema
from pydantic import ConfigDict, Field, JsonValue, StrictInt, StrictStr, model_validator

from governance.case_runs.queries import Ran
from governance.contracts.schemas.contracts import VersionNumber
from governance.core.case_text import call_as_dict
from governance.core.cases import PRODUCTION, Case, CaseAction, CaseCall, Decides, Stops
from governance.models import Case as Row

Times = Annotated[int, Field(ge=1, le=10_000, strict=True)]


class OneCallIn(Schema):
    model_config = ConfigDict(extra="forbid")

    tool: StrictStr
    args: dict[str, JsonValue] = Field(default_factory=dict)
    principal: dict[str, JsonValue] | None = None
    output: JsonValue = None
    environment: StrictStr = PRODUCTION

    def call(self, times: int = 1) -> CaseCall:
        return CaseCall(
            tool=self.tool,
            args=self.args,
            principal=self.principal,
            # As the library makes text of what a tool returned, before its rules look at it.
            output=None if self.output is None else str(self.output),
            environment=self.environment,
            times=times,
        )


class CallsIn(OneCallIn):
    times: Times = 1


class ExpectsIn(Schema):
    model_config = ConfigDict(extra="forbid")

    action: CaseAction | None = None
    stopped_at: StrictInt | None = None
    rule: StrictStr = ""


class CaseIn(Schema):
    """Expected action of one call; for a session, the number of the call that a limit stops, or
    null."""

    model_config = ConfigDict(extra="forbid")

    name: StrictStr
    call: OneCallIn | None = None
    calls: list[CallsIn] | None = None
    expects: ExpectsIn

    @model_validator(mode="after")
    def one_thing(self) -> Self:
        if (self.call is None) == (self.calls is None):
            raise ValueError("Give either `call`, or the `calls` of a session.")
        if self.call is not None and self.expects.action is None:
            raise ValueError("A `call` needs `expects.action`.")
        if self.call is not None and "stopped_at" in self.expects.model_fields_set:
            raise ValueError(
                "Only a session has `expects.stopped_at`: give `expects.action` for a `call`."
            )
        if self.calls is not None and self.expects.action is not None:
            raise ValueError("A session has no `expects.action`: give `expects.stopped_at`.")
        if self.calls is not None and "stopped_at" not in self.expects.model_fields_set:
            raise ValueError("A session needs `expects.stopped_at`, which may be null.")
        return self

    def case(self) -> Case:
        expects = self.expects
        if self.call is not None and expects.action is not None:
            decides = Decides(call=self.call.call(), action=expects.action, rule=expects.rule)
            return Case(self.name, decides)
        calls = tuple(each.call(each.times) for each in self.calls or ())
        return Case(self.name, Stops(calls=calls, stopped_at=expects.stopped_at, rule=expects.rule))


class CasesIn(Schema):
    """Complete list of tests in order; omitted ones are removed."""

    model_config = ConfigDict(extra="forbid")

    cases: list[CaseIn]


class CaseOut(Schema):
    id: int
    name: str
    call: dict[str, Any] | None
    calls: list[dict[str, Any]] | None
    expects: dict[str, Any]
    author: str
    changed_at: datetime


class CasesOut(Schema):
    cases: list[CaseOut]


class RunIn(Schema):
    """Against a text, or a version: without its number the newest. `cases` run instead of the
    saved tests."""

    model_config = ConfigDict(extra="forbid")

    yaml: str | None = None
    version: VersionNumber | None = None
    cases: list[CaseIn] | None = None

    @model_validator(mode="after")
    def against_one_thing(self) -> Self:
        if self.yaml is not None and self.version is not None:
            raise ValueError("Give either `yaml` or `version`.")
        return self


class ResultOut(Schema):
    name: str
    passed: bool
    expected: str
    got: str


class RunOut(Schema):
    passed: bool
    failing: int
    why: str | None  # they could not run
    ran_at: datetime | None  # of a kept run
    results: list[ResultOut]


def case_as_sent(case: Case) -> dict[str, Any]:
    """Test as a client sends it: without fields that were not given."""
    match case.expects:
        case Decides(call=call, action=action, rule=rule):
            what: dict[str, Any] = {"call": call_as_dict(call), "expects": {"action": action}}
        case Stops(calls=calls, stopped_at=number, rule=rule):
            session = [call_as_dict(each) for each in calls]
            what = {"calls": session, "expects": {"stopped_at": number}}
        case _ as never:
            assert_never(never)
    if rule:
        what["expects"]["rule"] = rule
    return {"name": case.name, **what}


def case_out(row: Row) -> dict[str, Any]:
    case = case_as_sent(row.spec())
    return {
        "id": row.pk,
        "call": None,
        "calls": None,
        **case,
        "expects": {"rule": "", **case["expects"]},
        "author": row.author,
        "changed_at": row.changed_at,
    }


def run_out(ran: Ran) -> dict[str, Any]:
    return {
        "passed": not ran.failing and not ran.why,
        "failing": ran.failing,
        "why": ran.why or None,
        "ran_at": ran.ran_at,
        "results": ran.results,
    }
