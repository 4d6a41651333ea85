"""*Show*: reveals one masked value to operators, with an audit entry. POST only; JavaScript gets
the part alone."""

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from governance.core.errors import InvalidInput
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from outcomes.masking.commands.opening import open_value as open_stored
from outcomes.web.paging import shown_part


@require_POST
@never_cache  # the response contains what is masked elsewhere
@member_page(Action.OPEN_VALUE)
def open_value(request: MemberRequest) -> HttpResponse:
    sent = request.POST
    try:
        value = open_stored(
            request.project,
            sent.get("kind", ""),
            sent.get("of", ""),
            sent.get("place", ""),
            environment=sent.get("environment", ""),
            by=request.actor,
        )
    except InvalidInput as error:
        return HttpResponse(str(error), status=422, content_type="text/plain")
    context = {
        "page_title": "Unmasked value",
        "of": sent["of"],
        "place": sent["place"],
        "value": value,
        "is_text": isinstance(value, str),
    }
    return shown_part(request, "masking/_opened_value.html", "masking/opened_value.html", context)
