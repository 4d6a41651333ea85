"""The call that a URL names, in the environment that it names."""

from governance.core.errors import NotFound
from governance.people.auth import MemberRequest
from outcomes.models import Call
from outcomes.record.selecting import call_named
from outcomes.web.named import named_id, note_one_environment


def named_call(request: MemberRequest, call_id: str) -> Call:
    found = call_named(
        request.project.pk, named_id(request, call_id), request.GET.get("environment", "")
    )
    if found is None:
        raise NotFound("There is no such call.")
    note_one_environment(request)
    return found
