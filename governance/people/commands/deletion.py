"""Deletion of an account: what the person wrote keeps a name, and nothing else of them stays."""

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

# Columns that name the author of something, by their email address.
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
    """The name that stays. The audit log keeps its entries until retention removes them."""
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
    """Columns that an address fits into: others of these names hold a kind, not a person."""
    return [
        field.name
        for field in model._meta.fields
        if field.name in AUTHORS and (field.max_length or 0) >= LONGEST_ADDRESS
    ]


def _person(label: str) -> str:
    return f"{ActorKind.PERSON}:{label}"


def _remove_belongings(user: User) -> None:
    """Everything that would go with the row: memberships, factors, drafts, views of their own."""
    end_all_sessions(user)
    Invitation.objects.filter(email=user.email).delete()
    for relation in User._meta.related_objects:
        if relation.on_delete is models.CASCADE:
            rows: models.QuerySet[models.Model] = relation.related_model._default_manager.all()
            rows.filter(**{relation.field.name: user}).delete()


def _leave_a_name(user: User, name: str) -> None:
    """Keys and deployment requests name the row, so it stays, with nothing but the name."""
    user.email, user.name = f"deleted-{user.pk}@deleted.invalid", name
    user.is_active, user.last_login = False, None
    user.zone = user.time_range = ""
    user.set_unusable_password()
    user.save()
