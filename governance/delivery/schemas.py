"""The shapes of assignments over HTTP."""

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import ConfigDict, Field

from governance.models import Assignment


class AssignmentIn(Schema):
    # A misspelt `tags` must not make a rule that fits every agent.
    model_config = ConfigDict(extra="forbid")

    bundle_name: str
    env: str
    agent_id: str = "*"
    tags: dict[str, str] = Field(default_factory=dict)
    priority: int = Field(0, strict=True)


class AssignmentOut(Schema):
    id: int
    bundle_name: str
    env: str
    agent_id: str
    tags: dict[str, str]
    priority: int
    author: str
    created_at: datetime
    ended_at: datetime | None


class AssignmentsOut(Schema):
    assignments: list[AssignmentOut]
    next: str | None


class AssignmentsQuery(Schema):
    limit: int = Field(50, ge=1, le=1_000)
    cursor: int | None = Field(None, ge=1, lt=2**63)
    env: str = Field("", pattern=r"^[A-Za-z0-9._-]{0,128}$")


def assignment_out(assignment: Assignment) -> dict[str, Any]:
    return {
        "id": assignment.pk,
        "bundle_name": assignment.bundle.name,
        "env": assignment.environment.name,
        "agent_id": assignment.agent,
        "tags": assignment.tags,
        "priority": assignment.priority,
        "author": assignment.author,
        "created_at": assignment.created_at,
        "ended_at": assignment.ended_at,
    }
