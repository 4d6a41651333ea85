"""Demo projects: access, and removal without affecting other projects."""

import pytest

from edictum_site.demo_projects import begin_demo, remove_demo
from governance.core.actor import CONSOLE, person
from governance.core.errors import Conflict, Forbidden
from governance.core.roles import Role
from governance.models import ApiKey, AuditEntry, Environment, Member, Project
from governance.people.commands.people import new_set_up_link, set_up
from governance.projects.commands import make_demo_key, remove_demo_project, revoke_demo_keys
from outcomes.core import artifact_store
from outcomes.models import Artifact, Call, DemoRun, Event, Session
from tests import builders
from tests.items import an_outcome
from tests.outcomes.posting import Agent

PASSWORD = "a-quiet-river-9"


@pytest.fixture
def admin(project):
    return an_admin_of(project)


def an_admin_of(project):
    user = builders.a_member(project, Role.ADMIN).user
    return person(user.pk, user.email, Role.ADMIN)


def traffic(project):
    agent = Agent(builders.bearing(builders.a_key(project, "agent")[0]))
    common = {"agent_id": "bot", "session_id": "s-1"}
    agent.post(
        an_outcome(f"{project.slug}-1", **common),
        an_outcome(f"{project.slug}-2", output=f"{project.slug} " * 4_000, **common),
        an_outcome(f"{project.slug}-3", type="denied", reason="contract", **common),
    )


def counted(project):
    tables = (Call, Event, Session, Artifact, ApiKey, AuditEntry, Environment)
    return {table.__name__: table.objects.filter(project=project).count() for table in tables}


def test_a_demo_is_a_separate_project_for_the_same_members(project, admin):
    viewer = builders.a_member(project, Role.VIEWER).user
    demo = begin_demo(project, by=admin)
    assert demo.is_demo
    assert not Project.objects.get(pk=project.pk).is_demo
    roles = {member.user: member.role for member in Member.objects.filter(project=demo)}
    assert roles[viewer] == Role.VIEWER
    assert len(roles) == 2
    assert DemoRun.objects.get(project=demo).status == "queued"


def test_a_project_has_at_most_one_demo(project, admin):
    begin_demo(project, by=admin)
    with pytest.raises(Conflict):
        begin_demo(project, by=admin)


def test_each_tenant_has_its_own_demo_with_its_own_address(project, admin):
    first = begin_demo(project, by=admin)
    other = builders.a_project()
    second = begin_demo(other, by=an_admin_of(other))
    assert {first.slug, second.slug} == {"demo", "demo-2"}


def test_only_an_admin_can_create_or_remove_a_demo(project, admin):
    editor = person(1, "editor@example.test", Role.EDITOR)
    with pytest.raises(Forbidden):
        begin_demo(project, by=editor)
    demo = begin_demo(project, by=admin)
    with pytest.raises(Forbidden):
        remove_demo_project(demo, logged_in=project, by=editor, went={})


def test_the_first_admin_is_a_member_of_a_demo_created_before_setup(project):
    demo = begin_demo(project, by=CONSOLE)
    user = set_up(new_set_up_link(project), email="first@example.test", password=PASSWORD)
    assert Member.objects.get(project=demo, user=user).role == Role.ADMIN


def test_removing_a_demo_deletes_all_of_its_data_and_nothing_else(project, admin):
    demo = begin_demo(project, by=admin)
    make_demo_key(demo)
    for each in (project, demo):
        traffic(each)
    stored = Artifact.objects.get(project=demo).sha256
    result = counted(project)

    remove_demo(demo, logged_in=project, by=admin)

    assert not Project.objects.filter(pk=demo.pk).exists()
    assert set(counted(demo.pk).values()) == {0}
    with pytest.raises(artifact_store.NotStored):
        artifact_store.Reader(demo.pk, stored)
    assert counted(project) == result | {"AuditEntry": result["AuditEntry"] + 1}
    row = AuditEntry.objects.filter(project=project).latest("number")
    assert (row.action, row.subject) == ("demo removed", "demo")
    assert row.details["calls"] == 3


def test_removing_a_demo_twice_is_audited_once(project, admin):
    demo = begin_demo(project, by=admin)
    same = Project.objects.get(pk=demo.pk)
    for each in (demo, same):
        remove_demo(each, logged_in=project, by=admin)
    assert AuditEntry.objects.filter(project=project, action="demo removed").count() == 1


def test_removing_a_demo_is_audited_in_its_own_tenant(project, admin):
    other = builders.a_project("z-tenant")
    demo = begin_demo(other, by=an_admin_of(other))
    user = Member.objects.get(project=demo).user
    builders.a_member(demo, user=builders.a_member(other).user)
    Member.objects.get(project=other, user=user).delete()
    builders.signed_in(user).post(f"/p/{demo.slug}/demo/remove/")
    row = AuditEntry.objects.get(action="demo removed")
    assert row.project == other


def test_a_concurrent_second_demo_request_redirects_to_the_demo(project, admin_client, monkeypatch):
    def twice(*args, **kwargs):  # simulates a concurrent request
        begin_demo(*args, **kwargs)
        return begin_demo(*args, **kwargs)

    monkeypatch.setattr("edictum_site.first_hour.demo.begin_demo", twice)
    assert admin_client.post(f"/p/{project.slug}/demo/fill/")["Location"] == "/p/demo/demo/"


def test_a_real_project_cannot_be_removed_as_a_demo(project, admin):
    with pytest.raises(Conflict):
        remove_demo_project(project, logged_in=project, by=admin, went={})
    builders.signed_in(Member.objects.get(project=project).user).post(
        f"/p/{project.slug}/demo/remove/"
    )
    assert Project.objects.filter(pk=project.pk).exists()


def test_demo_keys_are_revoked_when_the_demo_is_complete(project, admin):
    demo = begin_demo(project, by=admin)
    make_demo_key(demo)
    revoke_demo_keys(demo)
    assert not ApiKey.objects.filter(project=demo, revoked_at=None).exists()
