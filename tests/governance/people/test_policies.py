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


def test_every_action_has_the_role_it_takes():
    assert set(ROLE_FOR) == set(Action)


@pytest.mark.parametrize("action", Action)
@pytest.mark.parametrize("role", Role)
def test_a_role_may_what_it_reaches_and_is_refused_the_rest(role, action):
    allowed = may(role, action)
    assert allowed is role.reaches(ROLE_FOR[action])
    if allowed:
        refuse_unless(role, action)
    else:
        with pytest.raises(RoleNeeded, match=ROLE_FOR[action].value):
            refuse_unless(role, action)


def test_the_page_of_roles_names_every_action_once_with_a_reason():
    assert set(ACTIONS) == set(Action)
    rows = rows_of_roles()
    assert [role for role, _ in rows] == list(Role)
    assert sum(len(actions) for _, actions in rows) == len(Action)


def test_nobody_may_nothing():
    assert not any(may(None, action) for action in Action)


def test_a_manage_key_may_what_an_admin_may_members_excepted():
    assert {action for action in Action if not may(MANAGE_KEY, action)} == {Action.MANAGE_MEMBERS}
    with pytest.raises(Forbidden, match="A key cannot manage members"):
        refuse_unless(MANAGE_KEY, Action.MANAGE_MEMBERS)


def test_a_manage_key_makes_other_keys_but_no_manage_key():
    refuse_key_with(MANAGE_KEY, frozenset({"agent", "read"}))
    with pytest.raises(Forbidden, match="another manage key"):
        refuse_key_with(MANAGE_KEY, frozenset({"manage"}))


def test_an_admin_makes_any_key_and_an_editor_none():
    everything = frozenset({"agent", "ingest", "read", "manage"})
    assert may_make_key_with(person(1, "a@example.test", Role.ADMIN), everything)
    assert not may_make_key_with(person(1, "a@example.test", Role.EDITOR), frozenset({"ingest"}))


def test_a_key_has_the_role_of_its_scopes():
    assert role_of_key(frozenset({"read", "manage"})) is Role.ADMIN
    assert role_of_key(frozenset({"read"})) is Role.VIEWER
    assert role_of_key(frozenset({"agent", "ingest"})) is None
