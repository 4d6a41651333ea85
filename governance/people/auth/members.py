"""Authentication of a member's browser, for project pages and management routes."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django_htmx.http import HttpResponseClientRedirect
from ninja.utils import check_csrf

from governance.core.actor import Actor, person
from governance.core.errors import Forbidden, NotFound
from governance.core.roles import Role
from governance.models import Member, Project, User
from governance.people import policies
from governance.people.auth.access import Access, AccessRequest, access_of_member
from governance.people.auth.keys import KeyAuth, resolve_key
from governance.people.auth.second_factor import (
    forget_way,
    lacks_second_factor,
    refuse_without_second_factor,
    to_second_factor,
)
from governance.people.policies import Action, RoleNeeded
from governance.people.queries.people import memberships_of_request

LAST_PROJECT = "project"  # in the browser session: slug of the last used project

Rest = ParamSpec("Rest")


class MemberRequest(HttpRequest):
    """A request for a page of a project, by one of its members."""

    user: User
    project: Project
    projects: list[Project]  # all projects of this person, for the project switcher
    role: Role
    actor: Actor


def member_page(
    action: Action = Action.READ,
) -> Callable[
    [Callable[Concatenate[MemberRequest, Rest], HttpResponseBase]], Callable[..., HttpResponseBase]
]:
    """Page below `/p/<slug:slug>/`, for members of that project whose role permits this action.

    Non-members get a 404, as they do for a project that doesn't exist.
    """

    def decorate(
        view: Callable[Concatenate[MemberRequest, Rest], HttpResponseBase],
    ) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def page(
            request: HttpRequest, slug: str, *args: Rest.args, **kwargs: Rest.kwargs
        ) -> HttpResponseBase:
            if not isinstance(request.user, User):
                return to_sign_in(request)
            members = memberships_of_request(request.user)
            member = next((each for each in members if each.project.slug == slug), None)
            if member is None:
                raise Http404
            if lacks_second_factor(request, member):
                return to_second_factor(request, member)
            forget_way(request)
            try:
                member_request = _as_member(request, member, members)
                policies.refuse_unless_somewhere(member_request.actor, action)
                return view(member_request, *args, **kwargs)
            except RoleNeeded as error:
                return role_needed(request, error)
            except NotFound as error:
                raise Http404 from error

        return page

    return decorate


def signed_in_page(
    view: Callable[Concatenate[HttpRequest, Rest], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, Rest], HttpResponseBase]:
    """Page outside projects, such as the docs. It has the last used project's navigation."""

    @wraps(view)
    def page(request: HttpRequest, /, *args: Rest.args, **kwargs: Rest.kwargs) -> HttpResponseBase:
        if not isinstance(request.user, User):
            return to_sign_in(request)
        with_a_project(request)
        return view(request, *args, **kwargs)

    return page


def with_a_project(request: HttpRequest) -> bool:
    """Attach a project for the navigation: the one in the URL, the last used one, or the first.

    Returns whether there is one.
    """
    if "project" in vars(request):
        return True
    user = getattr(request, "user", None)
    members = memberships_of_request(user) if isinstance(user, User) else []
    slugs = (request.path.removeprefix("/p/").split("/")[0], request.session.get(LAST_PROJECT))
    shown = [member for member in members if not lacks_second_factor(request, member)]
    by_slug = {member.project.slug: member for member in shown}
    member = next((by_slug[slug] for slug in slugs if slug in by_slug), next(iter(shown), None))
    if member is not None:
        _as_member(request, member, members)
        vars(request)["of_no_project"] = True
    return member is not None


def _as_member(request: HttpRequest, member: Member, members: list[Member]) -> MemberRequest:
    role = Role(member.role)
    # Set the attributes that MemberRequest declares.
    vars(request).update(
        project=member.project,
        projects=[each.project for each in members],
        role=role,
        actor=person(member.user_id, member.user.email, role, member.roles_there()),
    )
    if request.session.get(LAST_PROJECT) != member.project.slug:
        request.session[LAST_PROJECT] = member.project.slug
    return request  # type: ignore[return-value]  # it has all of MemberRequest since the line above


def to_sign_in(request: HttpRequest) -> HttpResponseBase:
    answer = redirect_to_login(request.get_full_path(), "account_login")
    if request.headers.get("HX-Request") == "true":
        # A fragment that polls must not swap the sign-in page into itself.
        return HttpResponseClientRedirect(redirect_to_login("/", "account_login").url)
    return answer


def role_needed(request: HttpRequest, error: RoleNeeded) -> HttpResponse:
    context = {"page_title": "Not with your role", "error": error}
    return render(request, "errors/role.html", context, status=403)


class KeyOrMember(KeyAuth):
    """Authenticates management routes: an API key, or a member's browser with a CSRF token.

    The policies check `action` instead of a scope, so keys and people follow the same rules.
    """

    def __init__(self, *any_of: str, action: Action | None = None) -> None:
        self.action = action
        super().__init__(*any_of)

    def __call__(self, request: HttpRequest) -> Access:
        user = None if "Authorization" in request.headers else getattr(request, "user", None)
        if not isinstance(user, User):
            return super().__call__(request)
        if check_csrf(request):
            raise Forbidden("The CSRF token is missing or expired. Reload the page.", code="csrf")
        member = _membership_meant(request, user)
        access = access_of_member(member)
        vars(request)["caller"] = access  # for the audit log, if the request is rejected
        refuse_without_second_factor(request, member)
        self.refuse(access)
        return access

    def refuse(self, access: Access) -> None:
        super().refuse(access)
        if self.action is not None:
            policies.refuse_unless_somewhere(access.actor, self.action)


def is_still_admitted(request: AccessRequest) -> bool:
    """Whether, after a wait, the key is still active or the person still a signed-in member."""
    if key := request.headers.get("Authorization", ""):
        return resolve_key(key) is not None
    members = Member.objects.filter(user=request.auth.actor.id, project=request.auth.project_id)
    session = request.session.session_key or ""
    return members.filter(user__is_active=True).exists() and request.session.exists(session)


def _membership_meant(request: HttpRequest, user: User) -> Member:
    """Membership in the named project, else in the last used one, else in the only one."""
    named = request.GET.get("project")
    slug = named or request.session.get(LAST_PROJECT)
    members = memberships_of_request(user)
    for member in members:
        if member.project.slug == slug:
            return member
    if named or not members:
        raise NotFound("Project not found.")
    if len(members) > 1:
        raise NotFound("Add the project to the request: ?project=<slug>.", code="project")
    return members[0]
