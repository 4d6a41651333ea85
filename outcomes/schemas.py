"""The query parameters of the routes that read, and what is asked of jobs, as they come in."""

import json
from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from ninja import Schema
from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from governance.core.numbers import VERSION_SHAPE
from outcomes.record.selecting import CallFilter
from outcomes.recorded_calls.queries import ChangedFilter
from outcomes.recorded_calls.selection import Wanted


def _in_utc(at: datetime) -> datetime:
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise ValueError("this time lies outside of the years 1 to 9999") from None


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("NUL is not allowed here")
    return text


def _forwards(lines: str) -> str:
    first, last = lines.split("-")
    if int(first) > int(last):
        raise ValueError("the first line comes after the last; write lines=10-20")
    return lines


def _written_out(value: object) -> object:
    """Not seconds since 1970, as a number or as text, which nobody reads as a time."""
    if not isinstance(value, str) or value.lstrip("+-").replace(".", "", 1).isdecimal():
        raise ValueError("A time is text such as 2026-11-18T06:00:00Z.")
    return value


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("A version is a whole number.")
    return value


Time = Annotated[datetime, BeforeValidator(_written_out), AfterValidator(_in_utc)]
Text = Annotated[str, Field(max_length=1024), AfterValidator(_without_nul)]

VersionNumber = Annotated[
    int,
    Field(ge=1, le=2**31 - 1),
    BeforeValidator(_no_bool),
    WithJsonSchema(VERSION_SHAPE),
]
Lines = Annotated[
    str, Field(pattern=r"^[1-9][0-9]{0,11}-[1-9][0-9]{0,11}$"), AfterValidator(_forwards)
]


class Waiting(Schema):
    wait: int = Field(0, ge=0, le=30)


class Page(Waiting):
    cursor: Text = ""
    limit: int = Field(50, ge=1, le=1_000)


class CallFields(Schema):
    """What calls are filtered by everywhere, agents and tools aside."""

    session: Text = ""
    type: Literal[
        "", "execution_result", "timeout", "failure", "denied", "artifact_reference", "open"
    ] = ""
    reason: Text = ""
    verdict: Literal["", "success", "failure", "unknown"] = ""
    disagreement: bool | None = None
    env: Text = ""
    contract: Text = ""
    version: VersionNumber | None = None
    since: Time | None = None
    until: Time | None = None
    q: Text = ""

    @model_validator(mode="after")
    def of_a_contract(self) -> Self:
        if self.version is not None and not self.contract:
            raise ValueError("A `version` is one of a `contract`.")
        return self


class WantedCalls(CallFields, Waiting):
    agent: Text = ""
    tool: Text = ""

    def filter(self) -> CallFilter:
        return CallFilter(
            session=self.session,
            agent=self.agent,
            tool=self.tool,
            type=self.type,
            reason=self.reason,
            verdict=self.verdict,
            disagreement=self.disagreement,
            environment=self.env,
            contract=self.contract,
            version=self.version,
            since=self.since,
            until=self.until,
            text=self.q,
        )


class CallsQuery(WantedCalls, Page):
    pass


class StatsQuery(WantedCalls):
    by: Literal["tool", "agent", "session", "reason", "hour"] = "tool"


class OneCallQuery(Waiting):
    env: Text = ""


class EventsQuery(Waiting):
    agent_id: Text = ""
    session_id: Text = ""
    limit: int = Field(50, ge=1, le=1_000)


class LinesQuery(Schema):
    lines: Lines | None = None


class BacktestIn(Schema):
    """Of a text, or of a version: without its number the newest."""

    model_config = ConfigDict(extra="forbid")

    yaml: str | None = None
    name: str | None = None
    version: VersionNumber | None = None
    env: Text = ""
    since: Time | None = None
    until: Time | None = None
    agent: Text | list[Text] = ""  # names or globs
    tool: Text | list[Text] = ""
    contract_only: bool = False  # without the calls under other contracts

    @model_validator(mode="after")
    def of_one_thing(self) -> Self:
        if (self.yaml is None) == (self.name is None):
            raise ValueError("Give either `yaml`, or `name` with or without `version`.")
        if self.version is not None and self.name is None:
            raise ValueError("A `version` is one of a `name`.")
        return self

    def agents(self) -> list[str]:
        return _listed(self.agent)

    def tools(self) -> list[str]:
        return _listed(self.tool)


class ChangedCallsQuery(Schema):
    """Of the calls that a backtest would change: without anything all of them."""

    change: Literal[
        "",
        "newly_denied",
        "newly_allowed",
        "newly_asking",
        "changed",
        "undetermined",
        "drift",
    ] = ""
    rule: Text = ""
    tool: Text = ""
    agent: Text = ""
    session: Text = ""
    env: Text = ""  # of the session
    cursor: Text = ""
    limit: int = Field(50, ge=1, le=1_000)

    @model_validator(mode="after")
    def of_one_session(self) -> Self:
        if bool(self.session) != bool(self.env):
            raise ValueError("A `session` is one of an `env`: give both, or neither.")
        return self

    def filter(self) -> ChangedFilter:
        return ChangedFilter(
            change=self.change,
            rule=self.rule,
            tool=self.tool,
            agent=self.agent,
            session=self.session,
            environment=self.env,
        )


class CheckTrialIn(Schema):
    """The text of a check, tried on a result that is given or on calls that are stored."""

    model_config = ConfigDict(extra="forbid")

    yaml: str
    tool_name: Text = ""
    result: JsonValue = None
    elapsed_ms: float | None = Field(None, ge=0, allow_inf_nan=False)
    call_ids: list[Text] | None = Field(None, max_length=200)
    env: Text = ""  # of the calls; without it the newest of each id
    newer_included: bool = False  # of what its newest version includes

    @model_validator(mode="after")
    def on_one_thing(self) -> Self:
        given = {"tool_name", "result", "elapsed_ms"} & self.model_fields_set
        if self.call_ids is not None and given:
            raise ValueError("Give either `call_ids`, or `tool_name` and `result`.")
        if self.call_ids is None and "result" not in given:
            raise ValueError("Give a `result`, null being one too, or `call_ids`.")
        return self

    @field_validator("result")
    @classmethod
    def is_json(cls, value: JsonValue) -> JsonValue:
        try:
            json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
        except (ValueError, RecursionError):
            raise ValueError("NaN, infinities and halves of characters are not JSON.") from None
        return value


class ReclassificationIn(CallFields):
    """Which calls; what is left out does not narrow them."""

    model_config = ConfigDict(extra="forbid")

    agent: Text | list[Text] = ""  # names or globs
    tool: Text | list[Text] = ""

    def wanted(self) -> Wanted:
        return Wanted(
            environment=self.env,
            since=self.since,
            until=self.until,
            agents=_listed(self.agent),
            tools=_listed(self.tool),
            call_filter=CallFilter(
                session=self.session,
                type=self.type,
                reason=self.reason,
                verdict=self.verdict,
                disagreement=self.disagreement,
                contract=self.contract,
                version=self.version,
                text=self.q,
            ),
        )


class CheckBacktestIn(ReclassificationIn):
    yaml: str
    scope: Literal["", "bound", "all"] = ""  # empty: bound, where its name is bound to any call
    newer_included: bool = False  # of what its newest version includes


def _listed(given: str | list[str]) -> list[str]:
    return given if isinstance(given, list) else [given] if given else []
