"""Actions on a suggestion: dismiss, restore, preview its impact."""

from django.db import transaction
from django.utils import timezone

from governance.audit_log import record
from governance.core.actor import Actor
from governance.core.errors import NotFound
from governance.people.policies import Action, refuse_unless
from governance.people.queries.projects import project_numbered
from outcomes.models import Rejudging, Suggestion
from outcomes.reclassification.commands.jobs import start_check_backtest
from outcomes.recorded_calls.selection import CallCriteria
from outcomes.suggestions.queries import suggestion_numbered


def dismiss_suggestion(project_id: int, number: int, *, by: Actor) -> Suggestion:
    """Dismiss a suggestion permanently."""
    return _set(project_id, number, by, is_dismissed=True)


def bring_back_suggestion(project_id: int, number: int, *, by: Actor) -> Suggestion:
    return _set(project_id, number, by, is_dismissed=False)


def ask_for_effect(project_id: int, number: int, *, text: str, by: Actor) -> Rejudging:
    """Start an impact preview of a draft with the suggested rule, on the calls of its tool."""
    refuse_unless(by, Action.WRITE_CHECK)
    suggestion = _numbered(project_id, number)
    criteria = CallCriteria(tools=[suggestion.tool.name])
    effect = start_check_backtest(project_id, by=by, text=text, criteria=criteria)
    Suggestion.objects.filter(pk=suggestion.pk).update(effect=effect)
    return effect


@transaction.atomic
def _set(project_id: int, number: int, by: Actor, *, is_dismissed: bool) -> Suggestion:
    refuse_unless(by, Action.WRITE_CHECK)
    project = project_numbered(project_id)
    suggestion = _numbered(project_id, number)
    if (suggestion.dismissed_at is not None) == is_dismissed:
        return suggestion
    action = "suggestion dismissed" if is_dismissed else "suggestion restored"
    record(by, action, str(suggestion), project=project, details={"results": suggestion.results})
    if not is_dismissed and not suggestion.results:
        suggestion.delete()  # no matching outputs are left
        return suggestion
    suggestion.dismissed_at = timezone.now() if is_dismissed else None
    suggestion.dismissed_by = str(by)[:320] if is_dismissed else ""
    suggestion.save(update_fields=["dismissed_at", "dismissed_by"])
    return suggestion


def _numbered(project_id: int, number: int) -> Suggestion:
    suggestion = suggestion_numbered(project_id, number) if number < 2**63 else None
    if suggestion is None:
        raise NotFound("This suggestion no longer exists.")
    return suggestion
