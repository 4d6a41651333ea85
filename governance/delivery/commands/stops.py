"""Stops. They are not deployments, so lifting one restores what would be in force anyway."""

from django.db import transaction
from django.utils import timezone

from governance.audit_log import record
from governance.core.actor import Actor
from governance.core.errors import InvalidInput, NotFound
from governance.core.texts import is_storable
from governance.delivery import news
from governance.delivery.commands.signing import sign
from governance.delivery.domain import STOPPED
from governance.delivery.queries.stops import stop_of
from governance.models import Project, Stop
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import environment_with, locked_project


@transaction.atomic
def stop(project: Project, *, env: str, by: Actor, agent: str = "") -> tuple[Stop, bool]:
    """Stop an agent or an environment. Returns the active stop and whether it is new."""
    refuse_unless(by, Action.STOP_AGENT, env)
    if len(agent) > 128 or not is_storable(agent):
        unfit = "The id of an agent has at most 128 characters, without NUL."
        raise InvalidInput.at("agent_id", unfit)
    environment = environment_with(project, env)
    if environment is None:
        raise NotFound("Environment not found.")
    project = locked_project(project)
    present = stop_of(environment, agent)
    if present is not None:
        return present, False
    sign(project, STOPPED.values())
    made = Stop.objects.create(
        environment=environment, agent=agent, author=str(by)[:320], created_at=timezone.now()
    )
    record(by, _what(made, "stopped"), str(made), project=project)
    news.publish(project.pk, environment.pk)
    return made, True


@transaction.atomic
def lift(stop: Stop, *, by: Actor) -> Stop:
    """Lift a stop. If it was already lifted, nothing changes."""
    refuse_unless(by, Action.STOP_AGENT, stop.environment.name)
    project = locked_project(stop.environment.project)
    stop.refresh_from_db(fields=["lifted_at", "lifted_by"])
    if stop.lifted_at is None:
        stop.lifted_at, stop.lifted_by = timezone.now(), str(by)[:320]
        stop.save(update_fields=["lifted_at", "lifted_by"])
        record(by, _what(stop, "released"), str(stop), project=project)
        news.publish(project.pk, stop.environment_id)
    return stop


def _what(stop: Stop, happened: str) -> str:
    return f"{'agent' if stop.agent else 'environment'} {happened}"
