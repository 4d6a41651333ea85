"""One click from a suggestion to the editor, with the rule in the text."""

from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from governance.checks.commands.known_rules import RuleIsThere, draft_known_rule
from governance.checks.queries.bindings import bindings_of
from governance.core.errors import InvalidInput, NotFound
from governance.core.numbers import whole_number
from governance.drafts.storage import DraftElsewhere
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action


@require_POST
@member_page(Action.WRITE_CHECK)
def draft_rule(request: MemberRequest) -> HttpResponse:
    """Goes on to where its effect is computed, which knows the calls, and from there to the
    editor."""
    sent, slug = request.POST, request.project.slug
    names = {name: sent.get(name, "") for name in ("check", "rule", "tool", "judge")}
    try:
        draft = draft_known_rule(request.project, **names, by=request.actor)
    except RuleIsThere as there:
        return _to_be_bound(request, there.check, names["tool"])
    except (DraftElsewhere, InvalidInput, NotFound) as refused:
        messages.error(request, f"The rule was not drafted: {refused}")
        return redirect("outcomes:suggestions", slug)
    suggestion = whole_number(sent.get("suggestion")) or 0
    effect = reverse("outcomes:suggestion_effect", args=[slug, suggestion])
    # The same request again, which may write as this one did.
    return redirect(f"{effect}?draft={draft.pk}", preserve_request=True)


def _to_be_bound(request: MemberRequest, check: str, tool: str) -> HttpResponse:
    """It has the rule, and still the tool's results are judged otherwise: bound it may be not."""
    slug = request.project.slug
    if any(line.check == check for line in bindings_of(request.project).lines):
        words = f"{check} has this rule already: what it says counts from the next result on."
        messages.info(request, words)
        return redirect("outcomes:suggestions", slug)
    messages.info(request, f"{check} has this rule already, and is bound nowhere. Save this line.")
    query = urlencode({"check": check, "tool": tool})
    return redirect(f"{reverse('governance:check_bindings', args=[slug])}?{query}")
