"""Members, invitations and accounts."""

from allauth.mfa.models import Authenticator
from django.db.models import Q
from django.utils import timezone

from governance.core.roles import Role
from governance.models import Invitation, Member, Project, User
from governance.people.domain import digest_of

# Recovery codes don't count: they replace one of these.
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def anybody() -> bool:
    """Whether the console has any user yet."""
    return User.objects.exists()


def somebody_can_get_in() -> bool:
    """Whether an active admin exists."""
    return Member.objects.filter(role=Role.ADMIN, user__is_active=True).exists()


def user_with(email: str) -> User | None:
    return User.objects.filter(email=email.strip().lower()).first()


def memberships(user: User) -> list[Member]:
    return list(
        Member.objects.select_related("project", "user")
        .filter(user=user)
        .order_by("project__name", "project__slug")
    )


def user_with_memberships(user_id: int) -> User | None:
    """User with memberships, in one query."""
    members = memberships(User(pk=user_id))
    user = members[0].user if members else User.objects.filter(pk=user_id).first()
    if user is not None:
        user.belongs_to = members
    return user


def memberships_of_request(user: User) -> list[Member]:
    """Memberships, read once per request."""
    return memberships(user) if user.belongs_to is None else user.belongs_to


def is_admin_somewhere(user: User) -> bool:
    return Member.objects.filter(user=user, role=Role.ADMIN).exists()


def members(project: Project) -> list[Member]:
    return list(Member.objects.select_related("user").filter(project=project))


def secured(project: Project) -> set[int]:
    """Ids of members who have a second factor."""
    return set(
        Authenticator.objects.filter(user__memberships__project=project, type__in=FACTORS)
        .values_list("user_id", flat=True)
        .distinct()
    )


def has_second_factor(user: User) -> bool:
    return bool(Authenticator.objects.filter(user=user, type__in=FACTORS).exists())


def names_by_email(project: Project) -> dict[str, str]:
    """Profile names of members, by email."""
    named = Member.objects.filter(project=project).exclude(user__name="").order_by()
    return dict(named.values_list("user__email", "user__name"))


def member_numbered(project: Project, member_id: int) -> Member | None:
    return Member.objects.select_related("user").filter(project=project, pk=member_id).first()


def member_of(project: Project, user: User) -> Member | None:
    return Member.objects.filter(project=project, user=user).first()


def other_admins(member: Member) -> int:
    return (
        Member.objects.filter(project=member.project_id, role=Role.ADMIN, user__is_active=True)
        .exclude(pk=member.pk)
        .count()
    )


def open_invitations(project: Project) -> list[Invitation]:
    return list(
        Invitation.objects.filter(
            ~Q(email=""), project=project, used_at=None, expires_at__gt=timezone.now()
        )
    )


def has_open_invitation(email: str) -> bool:
    open_ones = Invitation.objects.filter(used_at=None, expires_at__gt=timezone.now())
    return bool(email) and open_ones.filter(email=email).exists()


def invitation_numbered(project: Project, invitation_id: int) -> Invitation | None:
    return Invitation.objects.filter(
        ~Q(email=""), project=project, pk=invitation_id, used_at=None
    ).first()


def invitation_of(token: str, *, for_set_up: bool) -> Invitation | None:
    """The invitation behind a one-time link, if it can still be used."""
    invitation = (
        Invitation.objects.select_related("project")
        .filter(digest=digest_of(token), used_at=None, expires_at__gt=timezone.now())
        .first()
    )
    return invitation if invitation and (invitation.email == "") is for_set_up else None
