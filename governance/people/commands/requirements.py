"""Environments and their requirements, set by an admin."""

import re

from django.db import transaction

from governance.audit_log import Detail, record
from governance.core.actor import Actor
from governance.core.deployment_requests import Required
from governance.core.errors import InvalidInput
from governance.models import Environment, Project, Requirements
from governance.models.projects import ENVIRONMENT_NAME
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import required_in


def environment_named(project: Project, name: str) -> Environment:
    """Environment with this name, created if it doesn't exist."""
    if not re.match(ENVIRONMENT_NAME, name):
        message = (
            "An environment name has at most 128 letters, digits, `.`, `_` or `-`, and starts"
            " with a letter or digit."
        )
        raise InvalidInput.at("env", message)
    return Environment.objects.get_or_create(project=project, name=name)[0]


MOST = 2**31 - 1


@transaction.atomic
def require(project: Project, *, env: str, required: Required, by: Actor) -> Required:
    """Set deployment requirements. They apply to pending requests, too."""
    refuse_unless(by, Action.MANAGE_SETTINGS)
    most = required.max_newly_denied
    if most is not None and not 0 <= most <= MOST:
        unfit = f"Max newly denied calls is a whole number from 0 to {MOST:,}."
        raise InvalidInput.at("max_newly_denied", unfit)
    environment = environment_named(project, env)
    was = required_in(project, env)
    if was == required:
        return required
    Requirements.objects.update_or_create(
        environment=environment,
        defaults={
            "second_person": required.second_person,
            "max_newly_denied": required.max_newly_denied,
        },
    )
    details: dict[str, Detail] = {
        "second_person": required.second_person,
        "max_newly_denied": most,
        "was": {"second_person": was.second_person, "max_newly_denied": was.max_newly_denied},
    }
    record(by, "deployment requirements set", environment.name, project=project, details=details)
    return required
