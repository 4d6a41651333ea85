"""Export of all data stored about a person, for that person."""

from typing import Any

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db.models import Q

from governance.core.actor import ActorKind
from governance.models import ApiKey, AuditEntry, CheckDraft, Draft, Invitation, User
from governance.people.queries.people import memberships
from governance.people.queries.sessions import open_sessions


def own_data(user: User) -> dict[str, Any]:
    """All data about a person except secrets: no password, factor secrets or API keys."""
    return {
        "profile": {
            "email": user.email,
            "name": user.name,
            "time_zone": user.zone,
            "default_range": user.time_range,
            "keyboard_shortcuts": user.single_keys,
            "created_at": user.created_at,
            "last_signed_in_at": user.last_login,
        },
        "memberships": [
            {"project": each.project.slug, "role": each.role, "since": each.created_at}
            for each in memberships(user)
        ],
        "sessions": [
            {
                "address": each.address,
                "browser": each.browser,
                "signed_in_at": each.started_at,
                "last_used_at": each.used_at,
            }
            for each in open_sessions(user)
        ],
        "second_factors": list(
            Authenticator.objects.filter(user=user).values("type", "created_at", "last_used_at")
        ),
        "identities": list(
            SocialAccount.objects.filter(user=user).values("provider", "uid", "extra_data")
        ),
        "invitations": list(
            Invitation.objects.filter(email=user.email).values(
                "project__slug", "role", "created_at", "used_at"
            )
        ),
        "api_keys_created": list(
            ApiKey.objects.filter(maker=user).values(
                "project__slug", "name", "hint", "created_at", "revoked_at"
            )
        ),
        "drafts": [
            *Draft.objects.filter(person=user).values("project__slug", "bundle__name", "text"),
            *CheckDraft.objects.filter(person=user).values("project__slug", "text"),
        ],
        "audit_log": list(_entries(user)),
    }


def _entries(user: User) -> Any:
    """Audit log entries by or about the person."""
    concerned = Q(actor=f"{ActorKind.PERSON}:{user.email}") | Q(subject=user.email)
    rows = AuditEntry.objects.filter(concerned, project__members__user=user)
    return rows.order_by("at").values(
        "project__slug", "at", "actor", "action", "subject", "details"
    )
