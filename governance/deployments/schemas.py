"""The shapes of requirements, deployment requests and roll-backs over HTTP."""

from dataclasses import asdict
from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field, StrictBool, StrictInt

from governance.contracts.schemas.contracts import VersionNumber
from governance.contracts.schemas.versions import ChangeOut
from governance.core.deployment_requests import RequestStatus, Required
from governance.deployments.queries import Plan
from governance.deployments.requirements import Evidence
from governance.models import DeploymentRequest

ENVIRONMENT = r"^[A-Za-z0-9._-]{0,128}$"


class RequirementsIn(Schema):
    """Complete requirements; omitted ones are removed."""

    model_config = ConfigDict(extra="forbid")

    second_person: StrictBool = False
    max_newly_denied: StrictInt | None = None

    def required(self) -> Required:
        return Required(second_person=self.second_person, max_newly_denied=self.max_newly_denied)


class RequirementsOut(Schema):
    second_person: bool
    max_newly_denied: int | None


class EnvironmentOut(Schema):
    name: str
    requirements: RequirementsOut


class EnvironmentsOut(Schema):
    environments: list[EnvironmentOut]


class PlanQuery(Schema):
    version: VersionNumber | None = None
    env: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$")


class BlockedOut(Schema):
    code: str
    why: str
    overridable: bool


class BacktestOut(Schema):
    id: int
    finished_at: datetime
    calls: int
    newly_denied: int
    newly_allowed: int
    newly_asking: int
    changed: int
    undetermined: int
    unchanged: int
    over: str


class PlanOut(Schema):
    """Preview of `POST contracts/{name}/deployments`."""

    name: str
    version: int
    revision_hash: str
    env: str
    live: int | None
    changes: list[ChangeOut]
    requirements: RequirementsOut
    backtest: BacktestOut | None
    narrowed_backtest: BacktestOut | None
    blocked: list[BlockedOut]
    request: int | None  # the one that waits for these bytes


class RollbackIn(Schema):
    model_config = ConfigDict(extra="forbid")

    env: str


class RequestIn(Schema):
    model_config = ConfigDict(extra="forbid")

    version: VersionNumber
    env: str
    message: str = ""
    override: str = ""


class RequestDecisionIn(Schema):
    model_config = ConfigDict(extra="forbid")

    decision: Literal["approve", "refuse"]
    reason: str = ""


class RequestsQuery(Schema):
    status: Literal["", "pending", "approved", "refused", "withdrawn", "void", "expired"] = ""
    env: str = Field("", pattern=ENVIRONMENT)
    name: str = Field("", pattern=r"^[a-z0-9._-]{0,128}$")
    limit: int = Field(50, ge=1, le=1_000)
    cursor: int | None = Field(None, ge=1, lt=2**63)


class RequestOut(Schema):
    id: int
    name: str
    version: int
    revision_hash: str
    env: str
    status: RequestStatus
    asked_by: str
    message: str
    override: str
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    decided_by: str | None
    reason: str | None
    deployment: int | None


class RequestsOut(Schema):
    requests: list[RequestOut]
    next: str | None


def required_out(required: Required) -> dict[str, Any]:
    return {
        "second_person": required.second_person,
        "max_newly_denied": required.max_newly_denied,
    }


def plan_out(plan: Plan) -> dict[str, Any]:
    return {
        "name": plan.version.bundle.name,
        "version": plan.version.number,
        "revision_hash": plan.version.revision_hash,
        "env": plan.environment,
        "live": plan.live.version.number if plan.live else None,
        "changes": [asdict(change) for change in plan.changes],
        "requirements": required_out(plan.required),
        "backtest": _backtest_out(plan.evidence),
        "narrowed_backtest": _backtest_out(plan.narrowed),
        "blocked": [asdict(each) for each in plan.blocked],
        "request": plan.waiting.pk if plan.waiting and plan.is_requested else None,
    }


def _backtest_out(evidence: Evidence | None) -> dict[str, Any] | None:
    return evidence and {"id": evidence.number, **evidence._asdict()}


def request_out(request: DeploymentRequest) -> dict[str, Any]:
    return {
        "id": request.pk,
        "name": request.version.bundle.name,
        "version": request.version.number,
        "revision_hash": request.revision_hash,
        "env": request.environment.name,
        "status": request.current_status,
        "asked_by": request.author,
        "message": request.message,
        "override": request.override,
        "created_at": request.created_at,
        "expires_at": request.expires_at,
        "ended_at": request.ended_at,
        "decided_by": request.decided_by or None,
        "reason": request.reason or None,
        "deployment": request.deployment_id,
    }
