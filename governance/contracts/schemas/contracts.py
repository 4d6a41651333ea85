"""The shapes of contracts, their versions, deployments and evaluations over HTTP."""

from datetime import datetime
from typing import Annotated, Any, Self

from ninja import Schema
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    WithJsonSchema,
    model_validator,
)

from governance.core.numbers import VERSION_SHAPE
from governance.evaluation.engine import ToolCall
from governance.models import BundleVersion, Deployment


def _no_bool(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("A version is a whole number.")
    return value


# The decimal text of a version is taken too.
VersionNumber = Annotated[
    int,
    Field(ge=1, le=2**31 - 1),
    BeforeValidator(_no_bool),
    WithJsonSchema(VERSION_SHAPE),
]


class ContractIn(Schema):
    model_config = ConfigDict(extra="forbid")

    yaml: str
    message: str = ""


class TextIn(Schema):
    model_config = ConfigDict(extra="forbid")

    yaml: str


class DeploymentIn(Schema):
    model_config = ConfigDict(extra="forbid")

    version: VersionNumber
    env: str
    override: str = ""  # why to go on although tests fail


class CallIn(Schema):
    """A call to try against a text, or against a version: without its number the newest."""

    model_config = ConfigDict(extra="forbid")

    yaml: str | None = None
    name: str | None = None
    version: VersionNumber | None = None
    tool_name: str
    tool_args: JsonValue = Field(default_factory=dict)
    principal: dict[str, JsonValue] | None = None
    output: JsonValue = None
    environment: str = "production"

    @model_validator(mode="after")
    def against_one_thing(self) -> Self:
        if (self.yaml is None) == (self.name is None):
            raise ValueError("Give either `yaml`, or `name` with or without `version`.")
        if self.version is not None and self.name is None:
            raise ValueError("A `version` needs a `name`.")
        return self

    def call(self) -> ToolCall:
        return ToolCall(
            tool_name=self.tool_name,
            tool_args=self.tool_args,
            principal=self.principal,
            # As the library makes text of what a tool returned, before its rules look at it.
            output=None if self.output is None else str(self.output),
            environment=self.environment,
        )


class ContractsQuery(Schema):
    limit: int = Field(50, ge=1, le=1_000)
    cursor: str = Field("", pattern=r"^[a-z0-9._-]{0,128}$")


class VersionsQuery(Schema):
    limit: int = Field(50, ge=1, le=1_000)
    cursor: VersionNumber | None = None


class DeploymentsQuery(Schema):
    limit: int = Field(50, ge=1, le=1_000)
    cursor: int | None = Field(None, ge=1, lt=2**63)
    env: str = Field("", pattern=r"^[A-Za-z0-9._-]{0,128}$")


class ProblemOut(Schema):
    path: str
    line: int | None
    column: int | None
    message: str
    fix: str  # what belongs there instead, where there is one answer


class ValidationOut(Schema):
    valid: bool
    errors: list[ProblemOut]
    warnings: list[ProblemOut]
    name: str
    rules: int
    dialect: str | None


class RuleOut(Schema):
    id: str
    type: str
    passed: bool
    message: str | None
    observed: bool
    action: str
    policy_error: bool


class EvaluationOut(Schema):
    decision: str  # the library's word
    action: str  # what an agent would do
    rules: list[RuleOut]
    policy_error: bool


class SawOut(Schema):
    selector: str
    value: str  # JSON, cut when long; empty when missing
    missing: bool
    note: str


class ExplainedRuleOut(Schema):
    id: str
    type: str
    applies: bool  # it is switched on and about this tool
    unasked: str  # why it was not asked; empty: it was
    passed: bool | None
    message: str | None
    observed: bool
    action: str
    error: bool
    saw: list[SawOut]


class ExplanationOut(Schema):
    """As the playground shows it: all rules, in the order of the document."""

    decision: str  # the library's word
    action: str  # what an agent would do
    error: bool
    rules: list[ExplainedRuleOut]


class VersionOut(Schema):
    name: str
    version: int
    revision_hash: str
    dialect: str
    author: str
    message: str
    created_at: datetime


class VersionWithTextOut(VersionOut):
    yaml: str
    session_rules: list[dict[str, Any]]


class DeploymentOut(Schema):
    id: int
    name: str
    version: int
    revision_hash: str
    env: str
    author: str
    approved_by: str | None
    override: str
    created_at: datetime
    live: bool


class LiveOut(Schema):
    env: str
    version: int


class ListedContractOut(VersionOut):
    """A bundle as its newest version shows it."""

    deployments: list[LiveOut]


class ContractsOut(Schema):
    contracts: list[ListedContractOut]
    next: str | None


class ContractOut(VersionWithTextOut):
    """The newest version, what is live, and a page of the history."""

    deployments: list[LiveOut]
    versions: list[VersionOut]
    next: str | None


class DeploymentsOut(Schema):
    deployments: list[DeploymentOut]
    next: str | None


def version_out(version: BundleVersion) -> dict[str, Any]:
    return {
        "name": version.bundle.name,
        "version": version.number,
        "revision_hash": version.revision_hash,
        "dialect": version.dialect,
        "author": version.author,
        "message": version.message,
        "created_at": version.created_at,
    }


def version_with_text_out(version: BundleVersion) -> dict[str, Any]:
    return version_out(version) | {
        "yaml": bytes(version.document).decode(),
        "session_rules": version.session_rules,
    }


def deployment_out(deployment: Deployment, *, live: bool) -> dict[str, Any]:
    version = deployment.version
    return {
        "id": deployment.pk,
        "name": version.bundle.name,
        "version": version.number,
        "revision_hash": version.revision_hash,
        "env": deployment.environment.name,
        "author": deployment.author,
        "approved_by": deployment.approved_by or None,
        "override": deployment.override,
        "created_at": deployment.created_at,
        "live": live,
    }


def live_out(deployment: Deployment) -> dict[str, Any]:
    return {"env": deployment.environment.name, "version": deployment.version.number}
