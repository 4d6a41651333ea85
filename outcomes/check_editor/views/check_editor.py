"""Completions for the check editor."""

from django.http import JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance.checks.authoring import completing
from governance.checks.domain import DEFAULT
from governance.checks.queries.checks import check_names
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from outcomes.calls.queries.contract_words import tools_called


@require_safe
@member_page(Action.WRITE_CHECK)
def check_words(request: MemberRequest) -> JsonResponse:
    """Words that the editor completes; selectors from results come with the recorded results."""
    names = [name for name in check_names(request.project) if name != DEFAULT.name]
    words = {
        "keys": {"new": completing.KEYS},
        "values": {"new": {**completing.VALUES, "include": names}},
        "conditions": completing.CONDITIONS,
        "operators": completing.OPERATOR_NAMES,
        "operands": completing.OPERANDS,
        "selectors": completing.SELECTORS,
        "tools": tools_called(request.project.pk, timezone.now()),
        "checks": names,
    }
    return JsonResponse(words)
