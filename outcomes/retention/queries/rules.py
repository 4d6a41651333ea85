"""Rules in force: those of an environment, else of its project, else the defaults."""

from collections.abc import Callable, Iterable

from django.conf import settings

from governance.models import Environment
from outcomes.models import RetentionRule
from outcomes.retention.domain import DEFAULTS, OF_PROJECT, Kind, Rule


def rules_of(project_id: int, environment: int | None = None) -> dict[Kind, Rule]:
    """Rules by kind, of an environment or, without one, of the project."""
    return all_rules(project_id)(environment)


def all_rules(project_id: int) -> Callable[[int | None], dict[Kind, Rule]]:
    """Function from environment to rules, for which a project's rules are read once."""
    stored = list(RetentionRule.objects.filter(project=project_id))
    usual = _days(row for row in stored if row.environment_id is None)

    def rules(environment: int | None) -> dict[Kind, Rule]:
        own = _days(
            row for row in stored if environment is not None and row.environment_id == environment
        )
        return _rules(own, usual, environment)

    return rules


def _rules(
    own: dict[Kind, int | None], usual: dict[Kind, int | None], environment: int | None
) -> dict[Kind, Rule]:
    return {kind: _rule(kind, own, usual, is_project=environment is None) for kind in Kind}


def days_of(project_id: int, environment: int | None = None) -> dict[Kind, int | None]:
    return {kind: rule.days for kind, rule in rules_of(project_id, environment).items()}


def environments_of(project_id: int) -> list[Environment]:
    return list(Environment.objects.filter(project=project_id).order_by("name"))


def kinds_of(environment: str) -> list[Kind]:
    """Kinds that can have a rule in this environment, or in the project if empty."""
    return [kind for kind in Kind if not environment or kind not in OF_PROJECT]


def _days(rows: Iterable[RetentionRule]) -> dict[Kind, int | None]:
    return {Kind(row.kind): row.days for row in rows}


def _rule(
    kind: Kind,
    own: dict[Kind, int | None],
    usual: dict[Kind, int | None],
    *,
    is_project: bool,
) -> Rule:
    if kind in own and kind not in OF_PROJECT:
        return Rule(kind, own[kind], is_own=True, is_default=False)
    if kind in usual:
        return Rule(kind, usual[kind], is_own=is_project, is_default=False)
    return Rule(kind, _default(kind), is_own=False, is_default=True)


def _default(kind: Kind) -> int | None:
    if kind is Kind.APPROVALS:
        return settings.KEEP_APPROVALS or None
    return DEFAULTS[kind]
