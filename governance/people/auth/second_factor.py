"""Check whether a project requires a second factor, and redirect to the page for it."""

from allauth.account.internal.flows.login import get_authentication_records
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django_htmx.http import HttpResponseClientRedirect

from governance.core.errors import Forbidden
from governance.models import Member, User
from governance.people.queries.people import has_second_factor

PROVED = "provider_second_factor"  # in the browser session: verified by the identity provider
NEXT = "second_factor_for"  # in the browser session: name and URL of the project to open next


def lacks_second_factor(request: HttpRequest, member: Member) -> bool:
    """Whether the project requires a second factor that this session has not verified."""
    if not member.project.second_factor or request.session.get(PROVED):
        return False
    return not (_was_shown(request, member.user) and has_second_factor(member.user))


def refuse_without_second_factor(request: HttpRequest, member: Member) -> None:
    if lacks_second_factor(request, member):
        raise Forbidden(
            f"{member.project.name} requires a second factor. Open its pages to use or add one.",
            code="second_factor",
        )


def to_second_factor(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Redirect to the page that asks for the second factor, or to the one that adds the first."""
    is_fragment = request.headers.get("HX-Request") == "true"
    project = reverse("outcomes:overview", args=[member.project.slug])
    path = project if is_fragment or request.method != "GET" else request.get_full_path()
    if has_second_factor(member.user):
        answer = redirect_to_login(path, "mfa_reauthenticate")
    else:
        request.session[NEXT] = {"project": member.project.name, "url": path}
        answer = redirect_to_login(path, "mfa_index")
    return HttpResponseClientRedirect(answer.url) if is_fragment else answer


def forget_way(request: HttpRequest) -> None:
    """Clear the stored redirect once the person has reached the project."""
    if NEXT in request.session:
        del request.session[NEXT]


def _was_shown(request: HttpRequest, user: User) -> bool:
    return any(each["method"] == "mfa" for each in get_authentication_records(request, user))
