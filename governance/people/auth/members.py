"""A member's browser: on the pages of a project, and as a caller of the management routes."""

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
from governance.people.auth.access import Access, access_of_member
from governance.people.auth.keys import KeyAuth
from governance.people.policies import Action, RoleNeeded
from governance.people.queries.people import memberships_as_asked

LAST_PROJECT = "project"  # in a browser's session: the slug of the project used last

Rest = ParamSpec("Rest")


class MemberRequest(HttpRequest):
    """A request for a page of a project, by one of its members."""

    user: User
    project: Project
    projects: list[Project]  # all that this person belongs to, for the switch between them
    role: Role
    actor: Actor


def member_page(
    action: Action = Action.READ,
) -> Callable[
    [Callable[Concatenate[MemberRequest, Rest], HttpResponseBase]], Callable[..., HttpResponseBase]
]:
    """A page below `/p/<slug:slug>/`: for members of that project whose role may do this.

    Who is no member is told that there is no such page, as for a project that does not exist.
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
            members = memberships_as_asked(request.user)
            member = next((each for each in members if each.project.slug == slug), None)
            if member is None:
                raise Http404
            try:
                asked = _as_member(request, member, members)
                policies.refuse_unless(asked.role, action)
                return view(asked, *args, **kwargs)
            except RoleNeeded as error:
                return role_needed(request, error)
            except NotFound as error:
                raise Http404 from error

        return page

    return decorate


def _as_member(request: HttpRequest, member: Member, members: list[Member]) -> MemberRequest:
    role = Role(member.role)
    # What the class MemberRequest promises is put on the request that came in.
    vars(request).update(
        project=member.project,
        projects=[each.project for each in members],
        role=role,
        actor=person(member.user_id, member.user.email, role),
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
    """The management family: a key, or a member's browser, which must bring its CSRF token.

    `action` is asked of the policies instead of a scope: one answer for keys and people.
    """

    def __init__(self, *any_of: str, action: Action | None = None) -> None:
        self.action = action
        super().__init__(*any_of)

    def __call__(self, request: HttpRequest) -> Access:
        user = None if "Authorization" in request.headers else getattr(request, "user", None)
        if not isinstance(user, User):
            return super().__call__(request)
        if check_csrf(request):
            raise Forbidden("The CSRF token is missing or old; load the page again.", code="csrf")
        access = access_of_member(_membership_meant(request, user))
        self.refuse(access)
        return access

    def refuse(self, access: Access) -> None:
        super().refuse(access)
        if self.action is not None:
            policies.refuse_unless(access.actor, self.action)


def _membership_meant(request: HttpRequest, user: User) -> Member:
    """Of the project named, else of the one used last, else of the only one."""
    named = request.GET.get("project")
    wanted = named or request.session.get(LAST_PROJECT)
    members = memberships_as_asked(user)
    for member in members:
        if member.project.slug == wanted:
            return member
    if named or not members:
        raise NotFound("There is no such project.")
    if len(members) > 1:
        raise NotFound("Name the project: ?project=<its slug>.", code="project")
    return members[0]
