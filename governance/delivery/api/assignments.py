"""API routes to set, list and end assignments."""

from typing import Any

from ninja import Query, Router, Status

from governance.core.errors import NotFound
from governance.delivery.commands import assignments
from governance.delivery.queries.assignments import assignment_numbered, assignments_before
from governance.delivery.schemas import (
    AssignmentIn,
    AssignmentOut,
    AssignmentsOut,
    AssignmentsQuery,
    assignment_out,
)
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered

router = Router(tags=["assignments"])
CAN_ASSIGN = KeyOrMember(action=Action.ASSIGN)


@router.put("/assignments", response={201: AssignmentOut, 200: AssignmentOut}, auth=CAN_ASSIGN)
def create_assignment(request: AccessRequest, body: AssignmentIn) -> Status[dict[str, Any]]:
    assignment, is_new = assignments.assign(
        project_numbered(request.auth.project_id),
        bundle_name=body.bundle_name,
        env=body.env,
        agent=body.agent_id,
        tags=body.tags,
        priority=body.priority,
        by=request.auth.actor,
    )
    return Status(201 if is_new else 200, assignment_out(assignment))


@router.get("/assignments", response=AssignmentsOut, auth=KeyOrMember("read"))
def list_assignments(request: AccessRequest, page: Query[AssignmentsQuery]) -> dict[str, Any]:
    project = project_numbered(request.auth.project_id)
    assignments = assignments_before(project, page.cursor, page.limit + 1, environment=page.env)
    shown = assignments[: page.limit]
    return {
        "assignments": [assignment_out(assignment) for assignment in shown],
        "next": str(shown[-1].pk) if len(assignments) > len(shown) else None,
    }


@router.delete("/assignments/{int:assignment_id}", response=AssignmentOut, auth=CAN_ASSIGN)
def end_assignment(request: AccessRequest, assignment_id: int) -> dict[str, Any]:
    project = project_numbered(request.auth.project_id)
    assignment = assignment_numbered(project, assignment_id)
    if assignment is None:
        raise NotFound("Assignment not found.")
    return assignment_out(assignments.end_assignment(assignment, by=request.auth.actor))
