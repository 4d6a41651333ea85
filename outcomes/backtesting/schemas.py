"""Requests of the backtests API."""

from typing import Literal, Self

from ninja import Schema
from pydantic import ConfigDict, Field, model_validator

from outcomes.recorded_calls.queries import ChangedFilter
from outcomes.web.schemas import Text, Time, VersionNumber, listed


class BacktestIn(Schema):
    """Backtest of a text or of a version; without a number, of the newest version."""

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
    def check_subject(self) -> Self:
        if (self.yaml is None) == (self.name is None):
            raise ValueError("Give either `yaml`, or `name` with or without `version`.")
        if self.version is not None and self.name is None:
            raise ValueError("A `version` needs a `name`.")
        return self

    def agents(self) -> list[str]:
        return listed(self.agent)

    def tools(self) -> list[str]:
        return listed(self.tool)


class ChangedCallsQuery(Schema):
    """Filters of the calls that a backtest would change; without any, all of them."""

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
    def check_session(self) -> Self:
        if bool(self.session) != bool(self.env):
            raise ValueError("A `session` needs an `env`. Give both, or neither.")
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
