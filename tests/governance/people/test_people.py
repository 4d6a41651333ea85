"""Commands on people: setup, invitations, roles, and the last admin."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.audit_log import verify
from governance.core.actor import person
from governance.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from governance.core.roles import Role
from governance.models import AuditEntry, Invitation, Member, User
from governance.people.commands.people import (
    accept_as,
    accept_as_new,
    change_role,
    invite,
    new_set_up_link,
    remove_member,
    set_up,
    withdraw_invitation,
)
from governance.people.queries.people import (
    invitation_of,
    memberships_of_request,
    open_invitations,
    user_with_memberships,
)
from governance.projects.commands import create_project
from tests import builders
from tests.builders import PASSWORD
from tests.governance.threads import in_threads

ADMIN = person(0, "admin@example.test", Role.ADMIN)
EDITOR = person(0, "editor@example.test", Role.EDITOR)


def actions():
    return list(AuditEntry.objects.order_by("number").values_list("action", flat=True))


def test_the_setup_link_creates_the_first_admin(project):
    token = new_set_up_link(project)
    user = set_up(token, email="First@Example.Test ", password=PASSWORD)
    assert user.email == "first@example.test"
    assert user.check_password(PASSWORD)
    assert Member.objects.get(user=user).role == Role.ADMIN
    assert actions() == ["setup link created", "console set up"]


def test_a_setup_link_works_once(project):
    token = new_set_up_link(project)
    set_up(token, email="first@example.test", password=PASSWORD)
    with pytest.raises(NotFound):
        set_up(token, email="second@example.test", password=PASSWORD)


def test_setup_links_become_invalid_once_an_admin_exists_even_if_they_leave(project):
    token, other = new_set_up_link(project), new_set_up_link(project)
    user = set_up(token, email="first@example.test", password=PASSWORD)
    Member.objects.filter(user=user).delete()
    with pytest.raises(NotFound):
        set_up(other, email="second@example.test", password=PASSWORD)


def test_a_console_with_an_admin_cannot_be_set_up_again(project):
    builders.a_member(project, Role.ADMIN)
    token = new_set_up_link(project)
    with pytest.raises(Conflict):
        set_up(token, email="second@example.test", password=PASSWORD)


def test_an_existing_user_can_use_a_setup_link_if_no_admin_remains(project):
    user = builders.a_member(project, Role.VIEWER).user
    set_up(new_set_up_link(project), email=user.email, password=PASSWORD)
    user.refresh_from_db()
    assert user.check_password(PASSWORD)
    assert Member.objects.get(user=user).role == Role.ADMIN


@pytest.mark.parametrize(
    ("email", "password", "path"),
    [
        ("nobody", PASSWORD, "email"),
        ("somebody@example.test", "short", "password"),
        ("somebody@example.test", "password123", "password"),
        ("somebody@example.test", "somebody@example", "password"),
    ],
)
def test_an_invalid_email_or_weak_password_is_rejected_by_field(project, email, password, path):
    token = new_set_up_link(project)
    with pytest.raises(InvalidInput) as refused:
        set_up(token, email=email, password=password)
    assert [problem.path for problem in refused.value.errors] == [path]
    assert not User.objects.exists()
    assert invitation_of(token, for_set_up=True)


def test_an_invited_person_joins_with_the_invited_role(project):
    token = invite(project, email="New@Example.test", role=Role.EDITOR, by=ADMIN)
    user = accept_as_new(token, password=PASSWORD)
    assert user.email == "new@example.test"
    assert Member.objects.get(user=user, project=project).role == Role.EDITOR
    assert actions() == ["member invited", "invitation accepted"]
    with pytest.raises(NotFound):
        accept_as_new(token, password=PASSWORD)


def test_an_invitation_expires_after_seven_days(project):
    token = invite(project, email="new@example.test", role=Role.VIEWER, by=ADMIN)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    with pytest.raises(NotFound):
        accept_as_new(token, password=PASSWORD)


def test_a_second_invitation_invalidates_the_first(project):
    first = invite(project, email="new@example.test", role=Role.ADMIN, by=ADMIN)
    invite(project, email="new@example.test", role=Role.VIEWER, by=ADMIN)
    assert invitation_of(first, for_set_up=False) is None
    assert [invitation.role for invitation in open_invitations(project)] == [Role.VIEWER]


def test_invitations_and_setup_links_are_not_interchangeable(project):
    invitation = invite(project, email="new@example.test", role=Role.VIEWER, by=ADMIN)
    link = new_set_up_link(project)
    with pytest.raises(NotFound):
        set_up(invitation, email="new@example.test", password=PASSWORD)
    with pytest.raises(NotFound):
        accept_as_new(link, password=PASSWORD)


def test_a_member_cannot_be_invited_again(project):
    member = builders.a_member(project)
    with pytest.raises(Conflict, match="already a member"):
        invite(project, email=member.user.email, role=Role.ADMIN, by=ADMIN)


def test_an_existing_user_must_sign_in_with_the_invited_email_to_join(project):
    known, other = builders.a_user(), builders.a_user()
    token = invite(project, email=known.email, role=Role.OPERATOR, by=ADMIN)
    with pytest.raises(Conflict):
        accept_as_new(token, password=PASSWORD)
    with pytest.raises(Conflict):
        accept_as(token, user=other)
    assert accept_as(token, user=known) == project
    assert Member.objects.get(user=known).role == Role.OPERATOR


def test_a_withdrawn_invitation_cannot_be_accepted(project):
    token = invite(project, email="new@example.test", role=Role.VIEWER, by=ADMIN)
    withdraw_invitation(open_invitations(project)[0], by=ADMIN)
    with pytest.raises(NotFound):
        accept_as_new(token, password=PASSWORD)


def test_a_role_change_is_audited(project):
    member = builders.a_member(project, Role.VIEWER)
    change_role(member, role=Role.EDITOR, by=ADMIN)
    entry = AuditEntry.objects.get()
    assert (entry.action, entry.subject) == ("role changed", member.user.email)
    assert entry.details == {"was": "viewer", "role": "editor"}
    assert verify(project) is None


def test_the_last_admin_cannot_be_removed_or_demoted(project):
    last = builders.a_member(project, Role.ADMIN)
    with pytest.raises(Conflict, match="only admin"):
        change_role(last, role=Role.VIEWER, by=ADMIN)
    with pytest.raises(Conflict, match="only admin"):
        remove_member(last, by=ADMIN)
    assert Member.objects.get().role == Role.ADMIN


def test_an_inactive_admin_does_not_count_as_an_admin(project):
    last = builders.a_member(project, Role.ADMIN)
    User.objects.filter(pk=builders.a_member(project, Role.ADMIN).user_id).update(is_active=False)
    with pytest.raises(Conflict):
        remove_member(last, by=ADMIN)


def test_one_of_two_admins_can_be_removed(project):
    first, second = builders.a_member(project, Role.ADMIN), builders.a_member(project, Role.ADMIN)
    remove_member(first, by=ADMIN)
    with pytest.raises(Conflict):
        remove_member(second, by=ADMIN)


def test_only_an_admin_can_manage_members(project):
    member = builders.a_member(project)
    for attempt in (
        lambda: invite(project, email="a@example.test", role=Role.VIEWER, by=EDITOR),
        lambda: change_role(member, role=Role.ADMIN, by=EDITOR),
        lambda: remove_member(member, by=EDITOR),
    ):
        with pytest.raises(Forbidden):
            attempt()


def test_an_admin_can_create_a_project_and_becomes_its_admin(project):
    user = builders.a_member(project, Role.ADMIN).user
    made = create_project(name="  Research   lab ", user=user)
    assert (made.slug, made.name) == ("research-lab", "Research lab")
    assert Member.objects.get(project=made).role == Role.ADMIN
    with pytest.raises(Conflict):
        create_project(name="Research Lab", user=user)


@pytest.mark.parametrize("name", ["", "   ", "!!!", "x" * 129])
def test_a_project_name_without_a_valid_address_is_rejected(project, name):
    user = builders.a_member(project, Role.ADMIN).user
    with pytest.raises(InvalidInput):
        create_project(name=name, user=user)


def test_only_an_admin_can_create_a_project(project):
    with pytest.raises(Forbidden):
        create_project(name="Mine", user=builders.a_member(project, Role.EDITOR).user)


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_setups_succeeds():
    for n in range(8):
        project = builders.a_project()
        tokens = [new_set_up_link(project) for _ in range(2)]

        def follow(which: int, n=n, tokens=tokens) -> object:
            try:
                return set_up(tokens[which], email=f"{n}-{which}@a.test", password=PASSWORD)
            except (NotFound, Conflict) as refused:
                return refused

        result = in_threads(2, follow)
        assert sum(isinstance(each, User) for each in result) == 1, result
        assert Member.objects.count() == 1
        assert verify(project) is None
        Member.objects.all().delete()


@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_joins_by_the_same_link_succeeds(project):
    for n in range(8):
        token = invite(project, email=f"{n}@a.test", role=Role.VIEWER, by=ADMIN)

        def join(_: int, token=token) -> object:
            try:
                return accept_as_new(token, password=PASSWORD)
            except (NotFound, Conflict) as refused:
                return refused

        result = in_threads(2, join)
        assert sum(isinstance(each, User) for each in result) == 1, result
    assert Member.objects.count() == 8


@pytest.mark.django_db(transaction=True)
def test_a_concurrent_withdrawal_and_acceptance_leave_no_open_invitation(project):
    for n in range(8):
        token = invite(project, email=f"{n}@a.test", role=Role.VIEWER, by=ADMIN)
        invitation = open_invitations(project)[0]

        def take(which: int, token=token, invitation=invitation) -> object:
            try:
                if which:
                    return accept_as_new(token, password=PASSWORD)
                return withdraw_invitation(invitation, by=ADMIN)
            except (NotFound, Conflict) as refused:
                return refused

        in_threads(2, take)
        assert open_invitations(project) == []
    assert verify(project) is None


def test_a_user_and_their_memberships_are_loaded_in_one_query(project, django_assert_num_queries):
    user = builders.a_user()
    known = builders.a_member(project, user=user)
    other = builders.a_member(builders.a_project(), user=user)
    with django_assert_num_queries(1):
        result = user_with_memberships(user.pk)
        assert result == user
        assert set(memberships_of_request(result)) == {known, other}


def test_a_user_without_membership_gets_an_explanation(project):
    nowhere = builders.signed_in(builders.a_user())
    assert nowhere.get("/projects/").status_code == 200
    member = builders.a_member(project)
    browser = builders.signed_in(member.user)
    assert browser.get(f"/p/{project.slug}/sessions/").status_code == 200
    User.objects.filter(pk=member.user_id).update(is_active=False)
    assert browser.get(f"/p/{project.slug}/sessions/").status_code == 302
