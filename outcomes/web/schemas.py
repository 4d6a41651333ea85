"""Query parameters of routes in many rooms."""

from datetime import UTC, datetime
from typing import Annotated, Literal, Self

from ninja import Schema
from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema, model_validator

from governance.core.numbers import VERSION_SHAPE
from outcomes.stored.queries import CallFilter


def _in_utc(at: datetime) -> datetime:
    try:
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except OverflowError:
        raise ValueError("this time is outside the years 1 to 9999") from None


def _without_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("NUL is not allowed here")
    return text


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


class Waiting(Schema):
    wait: int = Field(0, ge=0, le=30)


class Page(Waiting):
    cursor: Text = ""
    limit: int = Field(50, ge=1, le=1_000)


class CallFields(Schema):
    """Filters of calls; agents and tools are added where a route has them."""

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
    def version_needs_contract(self) -> Self:
        if self.version is not None and not self.contract:
            raise ValueError("A `version` needs a `contract`.")
        return self


class CallFilterQuery(CallFields, Waiting):
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


def listed(given: str | list[str]) -> list[str]:
    return given if isinstance(given, list) else [given] if given else []
