"""Saved views of the session list: created, renamed and removed by their owner or, if shared, by
anyone who may share views."""

from typing import Final

from django.db import transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import Actor, ActorKind
from governance.core.errors import InvalidInput, NotFound
from governance.core.texts import is_storable
from governance.people import policies
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered
from outcomes.models import SavedView
from outcomes.sessions.queries.list import saved_views

LONGEST: Final = 80  # characters of a name
LONGEST_QUERY: Final = 2_000
MOST: Final = 100  # own views per person, shared ones per project


@transaction.atomic
def save_view(project_id: int, name: str, query: str, *, shared: bool, by: Actor) -> SavedView:
    policies.refuse_unless(by, Action.SHARE_VIEW if shared else Action.SAVE_VIEW)
    if len(query) > LONGEST_QUERY or not is_storable(query):
        raise InvalidInput(f"The filters of a view have at most {LONGEST_QUERY:,} characters.")
    view = SavedView(
        project_id=project_id,
        owner_id=None if shared else _person(by),
        name=_checked(name),
        query=query,
        author=str(by)[:320],
        at=timezone.now(),
    )
    # Write the audit entry first: it admits one writer per project at a time.
    _record(by, "view saved", view)
    others = SavedView.objects.filter(project=project_id, owner=view.owner_id)
    if others.count() >= MOST:
        raise InvalidInput(f"At most {MOST} views. Remove one first.")
    _refuse_twice(view)
    view.save(force_insert=True)
    return view


@transaction.atomic
def rename_view(project_id: int, number: int, name: str, *, by: Actor) -> SavedView:
    view = _view_to_change(project_id, number, by)
    was, view.name = view.name, _checked(name)
    _record(by, "view renamed", view, was=was)
    _refuse_twice(view)
    view.save(update_fields=["name"])
    return view


@transaction.atomic
def remove_view(project_id: int, number: int, *, by: Actor) -> None:
    view = _view_to_change(project_id, number, by)
    _record(by, "view removed", view)
    view.delete()


def _view_to_change(project_id: int, number: int, by: Actor) -> SavedView:
    """Own view, or a shared one if the actor may share views."""
    policies.refuse_unless(by, Action.SAVE_VIEW)
    view = saved_views(project_id, _person(by)).filter(pk=number).first()
    if view is None:
        raise NotFound("View not found.")
    if view.owner_id is None:
        policies.refuse_unless(by, Action.SHARE_VIEW)
    return view


def _person(by: Actor) -> int | None:
    return by.id if by.kind is ActorKind.PERSON else None


def _checked(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise InvalidInput("Enter a name.")
    if len(name) > LONGEST or not is_storable(name):
        raise InvalidInput(f"A view name has at most {LONGEST} characters.")
    return name


def _refuse_twice(view: SavedView) -> None:
    others = SavedView.objects.filter(project=view.project_id, owner=view.owner_id)
    if others.filter(name=view.name).exclude(pk=view.pk).exists():
        raise InvalidInput(f"A view named {view.name} already exists.")


def _record(by: Actor, what: str, view: SavedView, **more: Detail) -> None:
    details: dict[str, Detail] = {"shared": view.owner_id is None, "query": view.query}
    project = project_numbered(view.project_id)
    record(by, what, view.name, project=project, details=details | more)
