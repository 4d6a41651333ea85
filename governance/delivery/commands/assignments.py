"""Set, replace and end assignments. Ended ones are not deleted, because they governed calls."""

import json
from collections.abc import Mapping
from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.contracts.queries.contracts import bundle_named
from governance.core.actor import Actor
from governance.core.errors import InvalidInput, NotFound, Problem
from governance.core.texts import is_storable
from governance.delivery import news
from governance.delivery.queries.assignments import assignment_of
from governance.models import Assignment, Environment, Project
from governance.people.commands.requirements import environment_named
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import locked_project, required_in

# The SDKs' own limits; larger values could never match.
MOST_TAGS = 64
LONGEST_TAG_NAME = 128
LONGEST_TAG_VALUE = 256
LONGEST_AGENT = 128
PRIORITIES = range(-1_000_000, 1_000_001)


@transaction.atomic
def assign(
    project: Project,
    *,
    bundle_name: str,
    env: str,
    by: Actor,
    agent: str = "*",
    tags: Mapping[str, str] | None = None,
    priority: int = 0,
) -> tuple[Assignment, bool]:
    """Set the assignment of this environment, glob and tags; returns it and whether it changed."""
    refuse_unless(by, Action.ASSIGN, env)
    tags = dict(tags or {})
    _refuse_misfits(agent=agent, tags=tags, priority=priority)
    bundle = bundle_named(project, bundle_name)
    if bundle is None:
        raise NotFound("Contract not found.")
    environment = environment_named(project, env)
    locked_project(project)
    _refuse_alone(environment, by)
    digest = _digest(tags)
    present = assignment_of(environment, agent, digest)
    if present is not None:
        if (present.bundle_id, present.priority) == (bundle.pk, priority):
            return present, False
        _end(present)
    assignment = Assignment.objects.create(
        environment=environment,
        bundle=bundle,
        agent=agent,
        tags=tags,
        tags_digest=digest,
        priority=priority,
        author=str(by)[:320],
        created_at=timezone.now(),
    )
    details = _details(assignment) | {"was": present.bundle.name if present else None}
    record(by, "contract assigned", bundle.name, project=project, details=details)
    news.publish(project.pk, environment.pk)
    return assignment, True


@transaction.atomic
def change_assignment(
    assignment: Assignment | None,
    project: Project,
    *,
    bundle_name: str,
    env: str,
    by: Actor,
    agent: str,
    tags: Mapping[str, str],
    priority: int,
) -> Assignment:
    """Assign, and end the edited assignment if the new one replaces it."""
    made, _ = assign(
        project,
        bundle_name=bundle_name,
        env=env,
        by=by,
        agent=agent,
        tags=tags,
        priority=priority,
    )
    if assignment is not None and assignment.pk != made.pk:
        end_assignment(assignment, by=by)
    return made


@transaction.atomic
def end_assignment(assignment: Assignment, *, by: Actor) -> Assignment:
    """End an assignment. If it has already ended, nothing changes."""
    refuse_unless(by, Action.ASSIGN, assignment.environment.name)
    project = assignment.environment.project
    locked_project(project)
    _refuse_alone(assignment.environment, by)
    assignment.refresh_from_db(fields=["ended_at"])
    if assignment.ended_at is None:
        _end(assignment)
        bundle = assignment.bundle.name
        record(by, "assignment deleted", bundle, project=project, details=_details(assignment))
        news.publish(project.pk, assignment.environment_id)
    return assignment


def _refuse_alone(environment: Environment, by: Actor) -> None:
    # Assigning another contract has the same effect as another deployment.
    if required_in(environment.project, environment.name).second_person:
        refuse_unless(by, Action.ASSIGN_ALONE, environment.name)


def _end(assignment: Assignment) -> None:
    assignment.ended_at = timezone.now()
    assignment.save(update_fields=["ended_at"])


def _details(assignment: Assignment) -> dict[str, Detail]:
    return {
        "environment": assignment.environment.name,
        "agent": assignment.agent,
        "tags": dict(assignment.tags),
        "priority": assignment.priority,
    }


def _digest(tags: Mapping[str, str]) -> str:
    return sha256(json.dumps(tags, sort_keys=True).encode()).hexdigest()


def _refuse_misfits(*, agent: str, tags: Mapping[str, str], priority: int) -> None:
    problems = [
        Problem(path=path, message=message)
        for path, fits, message in (
            (
                "agent_id",
                0 < len(agent) <= LONGEST_AGENT and is_storable(agent),
                f"Enter an agent name or glob of 1 to {LONGEST_AGENT} characters.",
            ),
            ("tags", len(tags) <= MOST_TAGS, f"At most {MOST_TAGS} tags are allowed."),
            (
                "tags",
                all(
                    0 < len(name) <= LONGEST_TAG_NAME
                    and len(value) <= LONGEST_TAG_VALUE
                    and is_storable(name + value)
                    for name, value in tags.items()
                ),
                f"A tag name has 1 to {LONGEST_TAG_NAME} characters, a value at most"
                f" {LONGEST_TAG_VALUE}, without NUL.",
            ),
            (
                "priority",
                priority in PRIORITIES,
                f"Enter a priority from {PRIORITIES[0]:,} to {PRIORITIES[-1]:,}.",
            ),
        )
        if not fits
    ]
    if problems:
        raise InvalidInput(problems[0].message, errors=problems)
