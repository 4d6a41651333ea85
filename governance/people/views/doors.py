"""Entry pages: the root URL, one-time set-up, and joining by invitation."""

from allauth.account.utils import perform_login
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from governance.core.errors import Conflict, InvalidInput, NotFound
from governance.models import User
from governance.people.auth import LAST_PROJECT, with_a_project
from governance.people.commands import people
from governance.people.commands.people import accept_as, accept_as_new
from governance.people.forms import JoinForm, SetUpForm
from governance.people.providers import provider_required
from governance.people.queries.keys import any_key_was_used
from governance.people.queries.people import (
    invitation_of,
    memberships_of_request,
    somebody_can_get_in,
    user_with,
)
from governance.web.forms import sent


@require_safe
@never_cache
def first_page(request: HttpRequest) -> HttpResponse:
    """Redirect to the last used project or to sign-in, or explain how to set up."""
    if not isinstance(request.user, User):
        if somebody_can_get_in():
            return redirect("account_login")
        return render(
            request,
            "people/no_admin.html",
            {"page_title": "Not set up yet", "program": settings.PROGRAM_NAME},
        )
    projects = [member.project for member in memberships_of_request(request.user)]
    if not projects:
        return redirect("governance:projects")
    last = request.session.get(LAST_PROJECT)
    project = next((each for each in projects if each.slug == last), projects[0])
    # Until a key is used, no data has arrived and the overview is empty.
    begun = any_key_was_used(project)
    return redirect("outcomes:overview" if begun else "first_hour:start", project.slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters("password")
def set_up(request: HttpRequest, token: str) -> HttpResponse:
    if invitation_of(token, for_set_up=True) is None or somebody_can_get_in():
        return _link_expired(request)
    form = SetUpForm(sent(request))
    if form.is_valid():
        try:
            user = people.set_up(token, **form.cleaned_data)
        except InvalidInput as error:
            form.take(error)
        except (NotFound, Conflict):
            return _link_expired(request)
        else:
            return _signed_in(request, user, reverse("governance:first_page"))
    context = {"page_title": "Set up this console", "form": form}
    return render(request, "people/set_up.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@sensitive_post_parameters("password")
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Accept an invitation, as a new person with a password or as a signed-in person."""
    invitation = invitation_of(token, for_set_up=False)
    if invitation is None:
        return _link_expired(request)
    known = user_with(invitation.email)
    provider = provider_required(settings.OIDC, invitation.email)
    form = JoinForm(sent(request)) if known is None and provider is None else None
    if form is not None and form.is_valid():
        try:
            user = accept_as_new(token, **form.cleaned_data)
        except InvalidInput as error:
            form.take(error)
        except (NotFound, Conflict):
            return _link_expired(request)
        else:
            overview = reverse("outcomes:overview", args=[invitation.project.slug])
            return _signed_in(request, user, overview)
    context = {
        "page_title": f"Join {invitation.project.name}",
        "invitation": invitation,
        "form": form,
        "token": token,
        "providers": [provider] if provider else [],
        "is_me": known is not None and known == request.user,
    }
    status = 422 if form is not None and form.errors else 200
    return render(request, "people/join.html", context, status=status)


@require_POST
@never_cache
def join_as_known(request: HttpRequest, token: str) -> HttpResponse:
    if not isinstance(request.user, User):
        return redirect("governance:join", token)
    try:
        project = accept_as(token, user=request.user)
    except (NotFound, Conflict) as error:
        raise Http404 from error
    return redirect("outcomes:overview", project.slug)


def _signed_in(request: HttpRequest, user: User, address: str) -> HttpResponse:
    answer: HttpResponse = perform_login(request, user, redirect_url=address)
    return answer


def _link_expired(request: HttpRequest) -> HttpResponse:
    frame = "base.html" if with_a_project(request) else "door.html"
    context = {"page_title": "This link has expired", "frame": frame}
    return render(request, "people/link_over.html", context, status=410)
