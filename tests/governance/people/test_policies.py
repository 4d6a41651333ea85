"""Permissions by role."""

import pytest

from governance.core.actor import Actor, ActorKind, person
from governance.core.errors import Forbidden
from governance.core.roles import Role
from governance.people.policies import (
    ROLE_FOR,
    Action,
    RoleNeeded,
    may,
    may_make_key_with,
    refuse_key_with,
    refuse_unless,
    role_of_key,
)
from governance.people.words import ACTIONS, rows_of_roles

MANAGE_KEY = Actor(ActorKind.KEY, 1, "automation", Role.ADMIN)


def test_every_action_has_a_required_role():
    assert set(ROLE_FOR) == set(Action)


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("role", Role)
def test_a_role_allows_exactly_the_actions_within_its_reach(role, action):
    allowed = may(role, action)
    assert allowed is role.reaches(ROLE_FOR[action])
    if allowed:
        refuse_unless(role, action)
    else:
        with pytest.raises(RoleNeeded, match=ROLE_FOR[action].value):
            refuse_unless(role, action)


def test_the_roles_page_lists_every_action_once():
    assert set(ACTIONS) == set(Action)
    rows = rows_of_roles()
    assert [role for role, _ in rows] == list(Role)
    assert sum(len(actions) for _, actions in rows) == len(Action)


def test_without_a_role_no_action_is_allowed():
    assert not any(may(None, action) for action in Action)


def test_a_manage_key_allows_every_admin_action_except_managing_members():
    assert {action for action in Action if not may(MANAGE_KEY, action)} == {Action.MANAGE_MEMBERS}
    with pytest.raises(Forbidden, match="A key cannot manage members"):
        refuse_unless(MANAGE_KEY, Action.MANAGE_MEMBERS)


def test_a_manage_key_can_create_any_key_except_a_manage_key():
    refuse_key_with(MANAGE_KEY, frozenset({"agent", "read"}))
    with pytest.raises(Forbidden, match="another manage key"):
        refuse_key_with(MANAGE_KEY, frozenset({"manage"}))


def test_an_admin_can_create_any_key_and_an_editor_none():
    everything = frozenset({"agent", "ingest", "read", "manage"})
    assert may_make_key_with(person(1, "a@example.test", Role.ADMIN), everything)
    assert not may_make_key_with(person(1, "a@example.test", Role.EDITOR), frozenset({"ingest"}))


def test_a_key_has_the_role_of_its_scopes():
    assert role_of_key(frozenset({"read", "manage"})) is Role.ADMIN
    assert role_of_key(frozenset({"read"})) is Role.VIEWER
    assert role_of_key(frozenset({"agent", "ingest"})) is None
