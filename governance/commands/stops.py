"""Stops: no deployments, so that lifting one leaves everything as it would have been."""

from django.db import transaction
from django.utils import timezone

from governance import news, queries
from governance.audit import record
from governance.commands.signing import locked, sign
from governance.domain.actor import Actor
from governance.domain.errors import InvalidInput, NotFound
from governance.domain.stopped import STOPPED
from governance.domain.texts import can_be_kept
from governance.models import Project, Stop
from governance.policies import Action, refuse_unless


@transaction.atomic
def stop(project: Project, *, env: str, by: Actor, agent: str = "") -> tuple[Stop, bool]:
    """The stop that stands now, of one agent or of the environment, and whether it is new."""
    refuse_unless(by, Action.STOP_AGENT)
    if len(agent) > 128 or not can_be_kept(agent):
        unfit = "The id of an agent has at most 128 characters, without NUL."
        raise InvalidInput.at("agent_id", unfit)
    environment = queries.environment_with(project, env)
    if environment is None:
        raise NotFound("There is no such environment.")
    project = locked(project)
    present = queries.stop_of(environment, agent)
    if present is not None:
        return present, False
    sign(project, STOPPED.values())
    made = Stop.objects.create(
        environment=environment, agent=agent, author=str(by)[:320], created_at=timezone.now()
    )
    record(by, _what(made, "stopped"), str(made), project=project)
    news.tell(project.pk, environment.pk)
    return made, True


@transaction.atomic
def lift(stop: Stop, *, by: Actor) -> Stop:
    """The present state again when it was lifted before."""
    refuse_unless(by, Action.STOP_AGENT)
    project = locked(stop.environment.project)
    stop.refresh_from_db(fields=["lifted_at", "lifted_by"])
    if stop.lifted_at is None:
        stop.lifted_at, stop.lifted_by = timezone.now(), str(by)[:320]
        stop.save(update_fields=["lifted_at", "lifted_by"])
        record(by, _what(stop, "released"), str(stop), project=project)
        news.tell(project.pk, stop.environment_id)
    return stop


def _what(stop: Stop, happened: str) -> str:
    return f"{'agent' if stop.agent else 'environment'} {happened}"
