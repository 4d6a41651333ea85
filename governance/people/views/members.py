"""Members: list, invitations, roles, accounts, removal."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import NoReverseMatch, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from governance.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from governance.core.roles import Role
from governance.models import Member
from governance.people.auth import MemberRequest, console_address, member_page
from governance.people.commands import people as commands_people
from governance.people.commands.accounts import (
    activate_account,
    deactivate_account,
    new_password_token,
    refuse_unless_admin_of_all,
    remove_second_factors,
)
from governance.people.commands.deletion import delete_account
from governance.people.commands.sessions import end_sessions
from governance.people.commands.sign_ins import require_second_factor
from governance.people.forms import InviteForm, RoleForm, SecondFactorForm
from governance.people.mails import send_invitation
from governance.people.policies import Action, may
from governance.people.queries import people
from governance.people.queries.keys import live_keys_of
from governance.people.queries.people import invitation_numbered, member_numbered, open_invitations
from governance.people.queries.projects import environments
from governance.people.queries.sessions import OpenSession, open_sessions
from governance.people.tables import INVITATIONS, MEMBERS
from governance.people.views.shown_once import forget_secret, redirect_with_secret, secret_of
from governance.people.words import browser_words, ended_words, rows_of_roles
from governance.web.forms import sent
from governance.web.table_files import Tables, one_of_tables


@require_safe
@member_page()
def members(request: MemberRequest) -> HttpResponseBase:
    rows = people.members(request.project)
    context: dict[str, Any] = {
        "page_title": "Members",
        "members": rows,
        "secured": people.secured(request.project),
        "admins": sum(member.role == Role.ADMIN for member in rows),
        "invitations": open_invitations(request.project),
        "may_manage": may(request.role, Action.MANAGE_MEMBERS),
    }
    tables: Tables = {
        "members": (MEMBERS, rows),
        "invitations": (INVITATIONS, context["invitations"]),
    }
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "people/members.html", context)


@require_safe
@member_page()
def roles(request: MemberRequest) -> HttpResponse:
    """Actions by the lowest role that permits them, with the reason."""
    context = {"page_title": "Roles", "roles": rows_of_roles()}
    return render(request, "people/roles.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_MEMBERS)
def invite(request: MemberRequest) -> HttpResponse:
    form = InviteForm(sent(request))
    if form.is_valid():
        email, role = form.cleaned_data["email"], Role(form.cleaned_data["role"])
        try:
            token = commands_people.invite(
                request.project, email=email, role=role, by=request.actor
            )
        except (Conflict, InvalidInput) as error:
            form.take(error)
        else:
            return _after_invitation(request, token)
    context = {"page_title": "Invite", "form": form, "sends_mail": settings.SENDS_MAIL}
    return render(request, "people/invite.html", context, status=422 if form.errors else 200)


def _after_invitation(request: MemberRequest, token: str) -> HttpResponse:
    invitation = people.invitation_of(token, for_set_up=False)
    if invitation is not None and send_invitation(invitation, _join_link(request, token)):
        messages.success(request, f"Invitation sent to {invitation.email}.")
        return redirect("governance:members", request.project.slug)
    if settings.SENDS_MAIL:
        messages.error(request, "The mail could not be sent. Share the link yourself.")
    return redirect_with_secret(reverse("governance:invited", args=[request.project.slug]), token)


def _join_link(request: MemberRequest, token: str) -> str:
    return console_address(request) + reverse("governance:join", args=[token])


@require_safe
@never_cache
@member_page(Action.MANAGE_MEMBERS)
def invited(request: MemberRequest) -> HttpResponse:
    """Show a new invitation's link once; after that, redirect to the members page."""
    token = secret_of(request)
    invitation = people.invitation_of(token, for_set_up=False)
    if invitation is None or invitation.project != request.project:
        return forget_secret(request, redirect("governance:members", request.project.slug))
    context = {
        "page_title": "Invitation",
        "invitation": invitation,
        "link": _join_link(request, token),
    }
    return forget_secret(request, render(request, "people/invited.html", context))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_MEMBERS)
def change_role(request: MemberRequest, member_id: int) -> HttpResponse:
    member = _member(request, member_id)
    names = environments(request.project)
    form = RoleForm(sent(request), member=member, environments=names)
    if form.is_valid():
        try:
            _save_roles(request, member, form)
        except (Conflict, InvalidInput) as error:
            form.take(error)
        else:
            messages.success(request, f"{member.user.email} is now {member.role}.")
            return redirect("governance:members", request.project.slug)
    context = {"page_title": f"Role of {member.user.email}", "member": member, "form": form}
    status = 422 if form.errors else 200
    return render(request, "people/change_role.html", context, status=status)


@transaction.atomic
def _save_roles(request: MemberRequest, member: Member, form: RoleForm) -> None:
    role, by = Role(form.cleaned_data["role"]), request.actor
    commands_people.change_role(member, role=role, by=by)
    commands_people.set_environment_roles(member, roles=form.environment_roles(), by=by)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_MEMBERS)
def remove_member(request: MemberRequest, member_id: int) -> HttpResponse:
    member = _member(request, member_id)
    refused = ""
    if request.method == "POST":
        try:
            commands_people.remove_member(member, by=request.actor)
        except Conflict as error:
            refused = str(error)
        else:
            messages.success(request, f"{member.user.email} removed.")
            left = member.user_id == request.user.pk
            return redirect("/") if left else redirect("governance:members", request.project.slug)
    context = {
        "page_title": f"Remove {member.user.email}",
        "member": member,
        "keys": live_keys_of(member.user, request.project),
        "refused": refused,
    }
    status = 409 if refused else 200
    return render(request, "people/remove_member.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_MEMBERS)
def member_account(request: MemberRequest, member_id: int) -> HttpResponse:
    """Deactivate or activate the member's account."""
    member = _member(request, member_id)
    refused = ""
    if request.method == "POST":
        try:
            done = _switched(request, member)
        except (Conflict, Forbidden) as error:
            refused = str(error)
        else:
            messages.success(request, f"{member.user.email} {done}.")
            return redirect("governance:members", request.project.slug)
    context = {
        "page_title": f"Account of {member.user.email}",
        "member": member,
        "keys": live_keys_of(member.user, request.project),
        "refused": refused,
    }
    status = 409 if refused else 200
    return render(request, "people/member_account.html", context, status=status)


def _switched(request: MemberRequest, member: Member) -> str:
    if request.POST.get("to") == "active":
        activate_account(member.user, by=request.actor)
        return "activated"
    deactivate_account(member.user, by=request.actor)
    return "deactivated"


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_MEMBERS)
def second_factor(request: MemberRequest) -> HttpResponse:
    """Set whether all members need a second factor."""
    form = SecondFactorForm(sent(request), initial={"required": request.project.second_factor})
    if form.is_valid():
        required = form.cleaned_data["required"]
        require_second_factor(request.project, required=required, by=request.actor)
        messages.success(request, f"Second factor {'required' if required else 'not required'}.")
        return redirect("governance:members", request.project.slug)
    members, secured = people.members(request.project), people.secured(request.project)
    context = {
        "page_title": "Second factor",
        "form": form,
        "number": len(members),
        "without": [each.user.email for each in members if each.user_id not in secured],
    }
    return render(request, "people/second_factor.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_MEMBERS)
def member_factors(request: MemberRequest, member_id: int) -> HttpResponse:
    """Remove the second factors of a member who lost them."""
    member = _member(request, member_id)
    refused = ""
    if request.method == "POST":
        try:
            remove_second_factors(member.user, by=request.actor)
        except Forbidden as error:
            refused = str(error)
        else:
            messages.success(request, f"Second factors of {member.user.email} removed.")
            return redirect("governance:members", request.project.slug)
    context = {"page_title": "Remove second factors", "member": member, "refused": refused}
    return render(request, "people/member_factors.html", context, status=409 if refused else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_MEMBERS)
def member_sessions(request: MemberRequest, member_id: int) -> HttpResponse:
    member = _member(request, member_id)
    rows: list[OpenSession] = []
    refused = ""
    try:
        refuse_unless_admin_of_all(people.memberships(member.user), request.actor)
        rows = open_sessions(member.user, request.session.session_key or "")
        if request.method == "POST":
            chosen = request.POST.get("session", "")
            ids = [each.id for each in rows if chosen in ("", str(each.id))]
            ended = end_sessions(member.user, ids=ids, by=request.actor)
            messages.success(request, ended_words(ended))
            return redirect("governance:member_sessions", request.project.slug, member.pk)
    except Forbidden as error:
        refused = str(error)
    context = {
        "page_title": f"Sessions of {member.user.email}",
        "member": member,
        "rows": [(each, browser_words(each.browser)) for each in rows],
        "refused": refused,
    }
    return render(request, "people/member_sessions.html", context, status=409 if refused else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@member_page(Action.MANAGE_MEMBERS)
def password_link(request: MemberRequest, member_id: int) -> HttpResponse:
    """Create a one-time link for a member to choose a new password, and show it once."""
    member = _member(request, member_id)
    context = {"page_title": "Password link", "member": member, "link": "", "refused": ""}
    path = reverse("governance:password_link", args=[request.project.slug, member.pk])
    if request.method == "POST":
        try:
            user, token = new_password_token(member.user, by=request.actor)
        except Forbidden as error:
            context["refused"] = str(error)
        else:
            return redirect_with_secret(path, f"{user}-{token}")
    context["link"] = _new_password_link(request, secret_of(request))
    status = 409 if context["refused"] else 200
    answer = render(request, "people/password_link.html", context, status=status)
    return forget_secret(request, answer)


def _new_password_link(request: MemberRequest, secret: str) -> str:
    user, _, token = secret.partition("-")
    try:
        path = reverse("account_reset_password_from_key", args=[user, token])
    except NoReverseMatch:  # nothing was created before
        return ""
    return console_address(request) + path


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_MEMBERS)
def delete_member_account(request: MemberRequest, member_id: int) -> HttpResponse:
    member = _member(request, member_id)
    email, refused = member.user.email, ""
    if request.method == "POST":
        try:
            name = delete_account(member.user, by=request.actor)
        except (Conflict, Forbidden) as error:
            refused = str(error)
        else:
            messages.success(request, f"{email} deleted. Their work is by {name}.")
            left = member.user_id == request.user.pk
            return redirect("/") if left else redirect("governance:members", request.project.slug)
    context = {
        "page_title": f"Delete {email}",
        "member": member,
        "keys": live_keys_of(member.user, request.project),
        "refused": refused,
    }
    return render(request, "people/delete_account.html", context, status=409 if refused else 200)


@require_POST
@member_page(Action.MANAGE_MEMBERS)
def withdraw_invitation(request: MemberRequest, invitation_id: int) -> HttpResponse:
    invitation = invitation_numbered(request.project, invitation_id)
    if invitation is None:
        raise NotFound("Invitation not found.")
    commands_people.withdraw_invitation(invitation, by=request.actor)
    messages.success(request, f"Invitation for {invitation.email} withdrawn.")
    return redirect("governance:members", request.project.slug)


def _member(request: MemberRequest, member_id: int) -> Member:
    member = member_numbered(request.project, member_id)
    if member is None:
        raise NotFound("Member not found.")
    return member
