"""Deactivate an account in the whole console, with its sessions and keys, or activate it."""

from importlib import import_module

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction

from governance.audit_log import queue_at, record
from governance.core.actor import Actor, ActorKind
from governance.core.errors import Conflict, Forbidden
from governance.core.roles import Role
from governance.models import (
    Member,
    Project,
    User,
)
from governance.people.commands.keys import revoke_keys_of
from governance.people.commands.sign_ins import record_in_projects
from governance.people.policies import Action, refuse_unless
from governance.people.queries.people import memberships, other_admins


@transaction.atomic
def deactivate_account(user: User, *, by: Actor) -> None:
    """Block sign-in in all projects, end sessions and revoke keys; revoked keys stay revoked."""
    members = administered(user, by)
    refuse_last_admin(user)
    if not User.objects.filter(pk=user.pk, is_active=True).exists():
        return
    for member in members:
        revoke_keys_of(user, member.project, by=by)
        record(by, "account deactivated", user.email, project=member.project)
    User.objects.filter(pk=user.pk).update(is_active=False)
    end_all_sessions(user)


@transaction.atomic
def activate_account(user: User, *, by: Actor) -> None:
    """Let the person sign in again, with the same password and roles."""
    members = administered(user, by)
    if User.objects.filter(pk=user.pk, is_active=False).update(is_active=True):
        for member in members:
            record(by, "account activated", user.email, project=member.project)


@transaction.atomic
def remove_second_factors(user: User, *, by: Actor) -> None:
    """Remove lost second factors: the person signs in with the password and adds another."""
    administered(user, by)
    factors = Authenticator.objects.filter(user=user)
    if factors.exists():
        factors.delete()
        record_in_projects(user, "second factors removed", by=by)


@transaction.atomic
def new_password_token(user: User, *, by: Actor) -> tuple[str, str]:
    """User id and token of a one-time link to choose a new password."""
    administered(user, by)
    record_in_projects(user, "password link created", by=by)
    return user_pk_to_url_str(user), default_token_generator.make_token(user)


def administered(user: User, by: Actor) -> list[Member]:
    """Memberships of a person, with their projects locked. The actor must be an admin of all."""
    members = sorted(memberships(user), key=lambda member: member.project_id)
    for member in members:
        queue_at(member.project)
    refuse_unless_admin_of_all(members, by)
    return members


def refuse_unless_admin_of_all(members: list[Member], by: Actor) -> None:
    """Require an admin of all of a person's projects, for changes to the account."""
    refuse_unless(by, Action.MANAGE_MEMBERS)
    for member in members:
        _refuse_unless_admin_of(member.project, by)


def _refuse_unless_admin_of(project: Project, by: Actor) -> None:
    if by.kind is ActorKind.CONSOLE:
        return
    admins = Member.objects.filter(project=project, role=Role.ADMIN)
    if not admins.filter(user=by.person_id).exists():
        raise Forbidden(
            "This person belongs to a project that you are not an admin of. Remove them from yours,"
            f" or use {settings.PROGRAM_NAME} account on the server.",
            code="not_yours",
        )


def refuse_last_admin(user: User) -> None:
    for member in memberships(user):
        if member.role == Role.ADMIN and not other_admins(member):
            raise Conflict(
                f"{user.email} is the only admin of {member.project.name}. Promote another member"
                " first."
            )


def end_all_sessions(user: User) -> None:
    """End all sessions of a person, so that none works again if the account is activated."""
    theirs = [
        row.pk
        for row in Session.objects.iterator()
        if row.get_decoded().get(SESSION_KEY) == str(user.pk)
    ]
    Session.objects.filter(pk__in=theirs).delete()
    UserSession.objects.filter(user=user).delete()


def remove_expired_browser_sessions() -> None:
    """Delete browser sessions that have expired, and their records."""
    import_module(settings.SESSION_ENGINE).SessionStore.clear_expired()
    open_ones = Session.objects.values("session_key")
    UserSession.objects.exclude(session_key__in=open_ones).delete()
