"""Set or reset the retention rules of a project or of one of its environments."""

from django.db import transaction

from governance.audit_log import Detail, queue_at, record
from governance.core.actor import Actor
from governance.core.errors import InvalidInput, NotFound
from governance.models import Environment, Project
from governance.people.policies import Action, refuse_unless
from outcomes.models import RetentionRule
from outcomes.retention.domain import OF_PROJECT, Kind, Rule, refuse_days, refuse_misfit
from outcomes.retention.queries.rules import days_of, environments_of, rules_of


@transaction.atomic
def set_rule(project: Project, *, kind: Kind, days: int | None, env: str, by: Actor) -> Rule:
    """Keep data of this kind for this many days, or forever if `days` is None."""
    refuse_unless(by, Action.MANAGE_RETENTION)
    refuse_days(kind, days)
    environment = _place(project, kind, env)
    queue_at(project)
    was = rules_of(project.pk, _number(environment))[kind]
    RetentionRule.objects.update_or_create(
        project=project, environment=environment, kind=kind, defaults={"days": days}
    )
    _refuse_misfits(project)
    if was.days != days or not was.is_own:
        _record(project, kind, env, by, {"days": _written(days), "was": _written(was.days)})
    return rules_of(project.pk, _number(environment))[kind]


@transaction.atomic
def reset_rule(project: Project, *, kind: Kind, env: str, by: Actor) -> Rule:
    """Remove a rule, so that the project's rule or the default applies again."""
    refuse_unless(by, Action.MANAGE_RETENTION)
    environment = _place(project, kind, env)
    queue_at(project)
    rows = RetentionRule.objects.filter(project=project, environment=environment, kind=kind)
    if rows.delete()[0]:
        _refuse_misfits(project)
        _record(project, kind, env, by, {"reset": True})
    return rules_of(project.pk, _number(environment))[kind]


def _place(project: Project, kind: Kind, env: str) -> Environment | None:
    if not env:
        return None
    if kind in OF_PROJECT:
        message = f"The rule for {kind} is of the project: environments share them."
        raise InvalidInput.at("env", message)
    environment = Environment.objects.filter(project=project, name=env).first()
    if environment is None:
        raise NotFound("Environment not found.")
    return environment


def _number(environment: Environment | None) -> int | None:
    return environment.pk if environment else None


def _refuse_misfits(project: Project) -> None:
    refuse_misfit(days_of(project.pk))
    for environment in environments_of(project.pk):
        refuse_misfit(days_of(project.pk, environment.pk))


def _record(project: Project, kind: Kind, env: str, by: Actor, more: dict[str, Detail]) -> None:
    details: dict[str, Detail] = {"environment": env} if env else {}
    record(by, "retention rule set", kind.value, project=project, details=details | more)


def _written(days: int | None) -> str:
    return "forever" if days is None else f"{days} days"
