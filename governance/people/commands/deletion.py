"""Delete an account: the person's work keeps a name, and no other personal data remains."""

from typing import Final

from django.apps import apps
from django.db import models, transaction

from governance.audit_log import record
from governance.core.actor import Actor, ActorKind
from governance.models import Invitation, User
from governance.people.commands.accounts import (
    administered,
    end_all_sessions,
    refuse_last_admin,
)
from governance.people.commands.keys import revoke_keys_of

# Columns that hold an author's email address.
AUTHORS: Final = frozenset(
    {
        *("author", "created_by", "changed_by", "decided_by", "approved_by", "lifted_by"),
        *("dismissed_by", "snoozed_by", "asked_by"),
    }
)
LONGEST_ADDRESS: Final = 254  # characters
OURS: Final = ("governance", "outcomes")


@transaction.atomic
def delete_account(user: User, *, by: Actor) -> str:
    """Delete an account and return the name that remains on its work.

    The audit log keeps its entries until retention removes them.
    """
    members = administered(user, by)
    refuse_last_admin(user)
    name = user.name or f"Former member {user.pk}"
    for member in members:
        revoke_keys_of(user, member.project, by=by)
        record(by, "account deleted", user.email, project=member.project, details={"name": name})
    _rename_author(user.email, name)
    _remove_belongings(user)
    _leave_a_name(user, name)
    return name


def _rename_author(email: str, name: str) -> None:
    for model in apps.get_models():
        if model._meta.app_label not in OURS:
            continue
        for column in _author_columns(model):
            rows: models.QuerySet[models.Model] = model._default_manager.all()
            for before, after in ((email, name), (_person(email), _person(name))):
                rows.filter(**{column: before}).update(**{column: after})


def _author_columns(model: type[models.Model]) -> list[str]:
    """Author columns long enough for an email address; shorter ones hold a kind of actor."""
    return [
        field.name
        for field in model._meta.fields
        if field.name in AUTHORS and (field.max_length or 0) >= LONGEST_ADDRESS
    ]


def _person(label: str) -> str:
    return f"{ActorKind.PERSON}:{label}"


def _remove_belongings(user: User) -> None:
    """Delete what deleting the row would cascade to: memberships, factors, drafts, own views."""
    end_all_sessions(user)
    Invitation.objects.filter(email=user.email).delete()
    for relation in User._meta.related_objects:
        if relation.on_delete is models.CASCADE:
            rows: models.QuerySet[models.Model] = relation.related_model._default_manager.all()
            rows.filter(**{relation.field.name: user}).delete()


def _leave_a_name(user: User, name: str) -> None:
    """Clear the row except for the name. Keys and deployment requests refer to it."""
    user.email, user.name = f"deleted-{user.pk}@deleted.invalid", name
    user.is_active, user.last_login = False, None
    user.zone = user.time_range = ""
    user.set_unusable_password()
    user.save()
