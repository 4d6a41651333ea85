"""What a page is about, as its address and the reader's browser tell it."""

from datetime import tzinfo

from django.http import HttpRequest
from django.utils import timezone

from outcomes.domain.moments import zone_named
from outcomes.domain.scope import Scope, scope_from

ZONE_COOKIE = "zone"  # set by the script, which knows the reader's own


def scope_of(request: HttpRequest, *, is_list: bool = False, of_agent: bool = True) -> Scope:
    """What the page is about; from then on the bar of the page lets one choose another. What a
    page cannot narrow to an agent has no agent, whatever its address says."""
    asked = request.GET.dict() if of_agent else request.GET.dict() | {"agent": ""}
    scope = scope_from(asked, now=timezone.now(), zone=zone_of(request), is_list=is_list)
    vars(request).update(scope=scope, scope_choices={"all": is_list, "agent": of_agent})
    return scope


def zone_of(request: HttpRequest) -> tzinfo:
    return zone_named(request.COOKIES.get(ZONE_COOKIE, ""))
