"""Projects created concurrently, each on its own connection."""

from collections.abc import Callable

import pytest

from governance.core.actor import CONSOLE
from governance.core.errors import Conflict
from governance.core.roles import Role
from governance.models import Project
from governance.projects.commands import create_project, make_demo_project
from tests import builders
from tests.governance.threads import in_threads

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS = 5


def met(work: Callable[[], Project]) -> str:
    """Address of the created project, or the error."""
    try:
        return work().slug
    except Conflict as refused:
        return str(refused)


def test_concurrent_demo_projects_get_distinct_addresses():
    made: list[str] = []
    for _ in range(ROUNDS):
        tenants = [builders.a_member(builders.a_project(), Role.ADMIN).project for _ in range(3)]

        def make(which: int, tenants=tenants) -> str:
            return met(lambda: make_demo_project(tenants[which], by=CONSOLE))

        made += in_threads(3, make)
    assert set(made) == {"demo", *(f"demo-{number}" for number in range(2, 3 * ROUNDS + 1))}


def test_one_of_several_concurrent_projects_with_the_same_name_is_created():
    users = [builders.a_member(builders.a_project(), Role.ADMIN).user for _ in range(3)]
    for number in range(ROUNDS):
        name = f"Research {number}"

        def make(which: int, name=name) -> str:
            return met(lambda: create_project(name=name, user=users[which]))

        slug = f"research-{number}"
        text = f"A project with the address {slug} already exists."
        assert sorted(in_threads(3, make)) == [text, text, slug]
