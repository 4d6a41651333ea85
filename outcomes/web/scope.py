"""Scope of a page, from its URL and the user's time zone."""

from datetime import tzinfo

from django.http import HttpRequest
from django.utils import timezone

from governance.people.auth import MemberRequest, navigation_of
from outcomes.core.moments import zone_named
from outcomes.core.scope import Scope, detail_parameters, handed_on, scope_from
from outcomes.web.paging import hash_of

ZONE_COOKIE = "zone"  # set by JavaScript from the browser's time zone


def scope_of(request: HttpRequest, *, is_list: bool = False, by_agent: bool = True) -> Scope:
    """Scope of the requested page, also stored on the request for the filter bar. With
    `by_agent=False`, the agent in the URL is ignored."""
    query = request.GET.dict() if by_agent else request.GET.dict() | {"agent": ""}
    scope = scope_from(
        query,
        now=timezone.now(),
        zone=zone_of(request),
        is_list=is_list,
        usual=getattr(request.user, "time_range", ""),
    )
    vars(request).update(scope=scope, scope_choices={"all": is_list, "agent": by_agent})
    return scope


def carried(request: HttpRequest) -> dict[str, str]:
    return handed_on(vars(request).get("scope"), request.GET.dict())


def detail_query(request: HttpRequest) -> dict[str, str]:
    return detail_parameters(vars(request).get("scope"), request.GET.dict())


def tag_of(request: MemberRequest, scope: Scope, *seen: object) -> str:
    """Tag that changes with the shown content, the minute, or the counts in the page layout."""
    frame = navigation_of(request, request.project)
    about = (scope.query(), scope.since, scope.until, sorted(frame.waiting.items()))
    return hash_of(seen, about, frame.alerts)


def zone_of(request: HttpRequest) -> tzinfo:
    """Time zone from the user's profile, else that of the browser."""
    return zone_named(getattr(request.user, "zone", "") or request.COOKIES.get(ZONE_COOKIE, ""))
