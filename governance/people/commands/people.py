"""People: set-up, invitations by one-time link, roles. The last admin can't be removed."""

import secrets
from collections.abc import Mapping
from datetime import timedelta

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, queue_at, record
from governance.core.actor import CONSOLE, Actor, person
from governance.core.errors import Conflict, InvalidInput, NotFound
from governance.core.roles import Role
from governance.models import Invitation, Member, Project, User
from governance.people.commands.key_findings import note_keys_of
from governance.people.commands.keys import revoke_keys_of
from governance.people.domain import digest_of
from governance.people.policies import Action, refuse_unless
from governance.people.queries.people import (
    invitation_of,
    members,
    other_admins,
    somebody_can_get_in,
    user_with,
)
from governance.people.queries.projects import demo_projects, environments

LINK_LASTS = timedelta(days=7)
LINK_IS_OVER = "This link was already used, or expired after 7 days."


def new_set_up_link(project: Project) -> str:
    """Token of a new link that creates the admin.

    Earlier links work until one is used, because two concurrent starts each print their own.
    """
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        _invitation(project, "", Role.ADMIN, token)
        record(CONSOLE, "setup link created", project.slug, project=project)
    return token


def set_up(token: str, *, email: str, password: str) -> User:
    """Create the first admin. If no active admin exists, this resets a known user's password."""
    invitation = _usable(token, for_set_up=True)
    _refuse_once_set_up()
    email, hashed = _email(email), _hashed(password, email)
    with transaction.atomic():
        _use_up(invitation)
        _refuse_once_set_up()  # checked again: only one of two concurrent set-ups may win
        user = _admin(invitation.project, email, hashed)
        # Otherwise they would work again if this admin is removed or deactivated.
        Invitation.objects.filter(project=invitation.project, email="", used_at=None).delete()
        by = person(user.pk, email, Role.ADMIN)
        record(by, "console set up", email, project=invitation.project)
    return user


def first_admin(project: Project, *, email: str, password: str) -> User:
    """Create the admin named in the environment, at the first start."""
    email, hashed = _email(email), _hashed(password, email)
    with transaction.atomic():
        user = _admin(project, email, hashed)
        details = {"role": Role.ADMIN.value}
        record(CONSOLE, "member added", email, project=project, details=details)
    return user


def invite(project: Project, *, email: str, role: Role, by: Actor) -> str:
    """Invite a person and return the link's token. Earlier links for this email stop working."""
    refuse_unless(by, Action.MANAGE_MEMBERS)
    email = _email(email)
    token = secrets.token_urlsafe(32)
    with transaction.atomic():
        queue_at(project)
        if Member.objects.filter(project=project, user__email=email).exists():
            raise Conflict(f"{email} is already a member.")
        Invitation.objects.filter(project=project, email=email, used_at=None).delete()
        _invitation(project, email, role, token)
        details = {"role": role.value}
        record(by, "member invited", email, project=project, details=details)
    return token


@transaction.atomic
def withdraw_invitation(invitation: Invitation, *, by: Actor) -> None:
    refuse_unless(by, Action.MANAGE_MEMBERS)
    record(by, "invitation withdrawn", invitation.email, project=invitation.project)
    invitation.delete()


def accept_as_new(token: str, *, password: str) -> User:
    """Join as a new person, with a password."""
    invitation = _usable(token, for_set_up=False)
    if user_with(invitation.email):
        raise _known(invitation)
    hashed = _hashed(password, invitation.email)
    with transaction.atomic():
        _use_up(invitation)
        user, is_new = User.objects.get_or_create(
            email=invitation.email, defaults={"password": hashed}
        )
        if not is_new:
            raise _known(invitation)
        _join(invitation, user)
    return user


@transaction.atomic
def accept_as(token: str, *, user: User) -> Project:
    """Join as a signed-in person with the email of the invitation."""
    invitation = _usable(token, for_set_up=False)
    if user.email != invitation.email:
        raise Conflict(f"This invitation is for {invitation.email}.")
    _use_up(invitation)
    _join(invitation, user)
    return invitation.project


@transaction.atomic
def change_role(member: Member, *, role: Role, by: Actor) -> None:
    refuse_unless(by, Action.MANAGE_MEMBERS)
    was = member.role
    if was == role:
        return
    _refuse_to_lose_last_admin(member)
    member.role = role
    member.save(update_fields=["role"])
    details = {"was": was, "role": role.value}
    record(by, "role changed", member.user.email, project=member.project, details=details)
    note_keys_of(member.user, member.project)


@transaction.atomic
def set_environment_roles(member: Member, *, roles: Mapping[str, Role], by: Actor) -> None:
    """Set roles in environments, which raise the project role there. Unnamed ones end."""
    refuse_unless(by, Action.MANAGE_MEMBERS)
    queue_at(member.project)
    unknown = set(roles) - set(environments(member.project))
    if unknown:
        raise InvalidInput.at("environment", f"No environment {min(unknown)}.")
    was, now = member.environment_roles, {name: roles[name].value for name in sorted(roles)}
    if was == now:
        return
    member.environment_roles = now
    member.save(update_fields=["environment_roles"])
    details: dict[str, Detail] = {"was": _listed(was), "roles": _listed(now)}
    email = member.user.email
    record(by, "environment roles changed", email, project=member.project, details=details)


def _listed(roles: Mapping[str, str]) -> list[Detail]:
    return [f"{name}: {role}" for name, role in roles.items()]


@transaction.atomic
def remove_member(member: Member, *, by: Actor) -> None:
    refuse_unless(by, Action.MANAGE_MEMBERS)
    _refuse_to_lose_last_admin(member)
    revoke_keys_of(member.user, member.project, by=by)
    details = {"role": member.role}
    record(by, "member removed", member.user.email, project=member.project, details=details)
    member.delete()


@transaction.atomic
def choose_keys(user: User, *, single: bool) -> None:
    """Turn single-key shortcuts on or off for a person. Not audited: no project is involved."""
    User.objects.filter(pk=user.pk).update(single_keys=single)


def change_profile(user: User, *, name: str, zone: str, time_range: str, single_keys: bool) -> None:
    """Change a person's own settings. Not audited: no project is involved."""
    User.objects.filter(pk=user.pk).update(
        name=" ".join(name.split()), zone=zone, time_range=time_range, single_keys=single_keys
    )


def choose_range(user: User, name: str) -> None:
    """Set a person's default time range for pages."""
    if user.time_range != name:
        User.objects.filter(pk=user.pk).update(time_range=name)


def _refuse_to_lose_last_admin(member: Member) -> None:
    # Two admins who demote each other at once must not both succeed.
    queue_at(member.project)
    if member.role == Role.ADMIN and not other_admins(member):
        raise Conflict(f"{member.user.email} is the only admin. Promote another member first.")


def _refuse_once_set_up() -> None:
    if somebody_can_get_in():
        raise Conflict("This console is already set up. People join by invitation.")


def _known(invitation: Invitation) -> Conflict:
    return Conflict(f"Sign in as {invitation.email} to join.")


def _invitation(project: Project, email: str, role: Role, token: str) -> None:
    Invitation.objects.create(
        project=project,
        email=email,
        role=role,
        digest=digest_of(token),
        expires_at=timezone.now() + LINK_LASTS,
    )


def _usable(token: str, *, for_set_up: bool) -> Invitation:
    invitation = invitation_of(token, for_set_up=for_set_up)
    if invitation is None:
        raise NotFound(LINK_IS_OVER)
    return invitation


def _use_up(invitation: Invitation) -> None:
    queue_at(invitation.project)
    # If two people follow the link at once, only one updates the row.
    unused = Invitation.objects.filter(pk=invitation.pk, used_at=None)
    if not unused.update(used_at=timezone.now()):
        raise NotFound(LINK_IS_OVER)


def _join(invitation: Invitation, user: User) -> None:
    # A person who became a member in the meantime keeps that role.
    Member.objects.get_or_create(
        project=invitation.project, user=user, defaults={"role": invitation.role}
    )
    by = person(user.pk, user.email, Role(invitation.role))
    details = {"role": invitation.role}
    record(by, "invitation accepted", user.email, project=invitation.project, details=details)


def _admin(project: Project, email: str, hashed: str) -> User:
    user, _ = User.objects.update_or_create(
        email=email, defaults={"password": hashed, "is_active": True}
    )
    # A demo may have been created before the first user.
    unseen = [demo for demo in demo_projects() if not members(demo)]
    for each in (project, *unseen):
        Member.objects.update_or_create(project=each, user=user, defaults={"role": Role.ADMIN})
    return user


def _email(email: str) -> str:
    email = email.strip().lower()
    try:
        validate_email(email)
    except ValidationError:
        raise InvalidInput.at("email", "Enter an email address such as name@example.org.") from None
    return email


def _hashed(password: str, email: str) -> str:
    # Hashing is slow by design, so it never happens inside a transaction.
    try:
        validate_password(password, User(email=email))
    except ValidationError as error:
        raise InvalidInput.at("password", " ".join(error.messages)) from None
    return make_password(password)
