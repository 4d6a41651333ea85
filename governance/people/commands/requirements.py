"""What an environment requires before something goes live there: set by an admin."""

from django.db import transaction

from governance.audit_log import Detail, record
from governance.core.actor import Actor
from governance.core.deployment_requests import Required
from governance.core.errors import InvalidInput
from governance.models import Project, Requirements
from governance.people.commands.environments import environment_named
from governance.people.policies import Action, refuse_unless
from governance.people.queries.requirements import required_in

MOST = 2**31 - 1


@transaction.atomic
def require(project: Project, *, env: str, required: Required, by: Actor) -> Required:
    """Requests that wait are decided under what stands then."""
    refuse_unless(by, Action.MANAGE_SETTINGS)
    most = required.max_newly_denied
    if most is not None and not 0 <= most <= MOST:
        unfit = f"How many calls may be newly denied is a whole number from 0 to {MOST:,}."
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
