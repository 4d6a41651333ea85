"""What a page is about, as its address and the reader's browser tell it."""

from datetime import tzinfo

from django.http import HttpRequest
from django.utils import timezone

from governance.people.auth import MemberRequest, beside
from outcomes.core.moments import zone_named
from outcomes.core.scope import Scope, beside_one, handed_on, scope_from
from outcomes.web.tags import hash_of

ZONE_COOKIE = "zone"  # set by the script, which knows the reader's own


def scope_of(request: HttpRequest, *, is_list: bool = False, of_agent: bool = True) -> Scope:
    """What the page is about; from then on the bar of the page lets one choose another. What a
    page cannot narrow to an agent has no agent, whatever its address says."""
    asked = request.GET.dict() if of_agent else request.GET.dict() | {"agent": ""}
    scope = scope_from(asked, now=timezone.now(), zone=zone_of(request), is_list=is_list)
    vars(request).update(scope=scope, scope_choices={"all": is_list, "agent": of_agent})
    return scope


def carried(request: HttpRequest) -> dict[str, str]:
    return handed_on(vars(request).get("scope"), request.GET.dict())


def kept_beside_one(request: HttpRequest) -> dict[str, str]:
    return beside_one(vars(request).get("scope"), request.GET.dict())


def tag_of(request: MemberRequest, scope: Scope, *seen: object) -> str:
    """Differs as soon as a page about this scope may: when something of what it saw did, when the
    minute did, and with what waits for people."""
    frame = beside(request, request.project)
    about = (scope.query(), scope.since, scope.until, sorted(frame.waiting.items()))
    return hash_of(seen, about, frame.findings)


def zone_of(request: HttpRequest) -> tzinfo:
    return zone_named(request.COOKIES.get(ZONE_COOKIE, ""))
