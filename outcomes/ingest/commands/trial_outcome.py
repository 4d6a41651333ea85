"""Test outcome sent by a person, accepted the same way as an agent's."""

import json
from typing import Final
from uuid import uuid4

from django.db import transaction

from governance.audit_log import record
from governance.core.actor import Actor
from governance.core.errors import InvalidInput
from governance.people import policies
from governance.people.auth import Access
from governance.people.domain import Scope
from governance.people.policies import Action
from governance.people.queries.projects import environment_with, project_numbered
from outcomes.ingest.commands.accept import accept
from outcomes.record.wire import read_body

AGENT: Final = "test-of-the-console"
SESSION: Final = "test-outcomes"


def send_test_outcome(project_id: int, *, env: str, by: Actor) -> str:
    """Send a test outcome and return its call id."""
    policies.refuse_unless(by, Action.MANAGE_KEYS)  # key managers could post with a key anyway
    project = project_numbered(project_id)
    environment = environment_with(project, env)
    if environment is None:
        raise InvalidInput(f"No environment {env} yet. Create a key for it first.")
    call_id = f"test-{uuid4()}"
    outcome = {
        "type": "execution_result",
        "call_id": call_id,
        "session_id": SESSION,
        "agent_id": AGENT,
        "tool_name": "hello",
        "tool_args": {"name": "console"},
        "output": "it works",
    }
    access = Access(
        project_id=project.pk,
        project_slug=project.slug,
        environment_id=environment.pk,
        environment=environment.name,
        scopes=frozenset({Scope.INGEST}),
        agent="",
        assigned_only=False,
        dialect="",
        actor=by,
    )
    with transaction.atomic():  # not around accept(), which commits several posts at once
        record(by, "test outcome sent", call_id, project=project, details={"env": env})
    body = read_body(json.dumps({"outcomes": [outcome]}).encode(), "", "outcomes")
    accept(body, source="outcomes", access=access, agent=AGENT)
    return call_id
