"""Assignment pages: list, create, change and delete, by role."""

import re

import pytest
from django.urls import reverse

from governance.core.actor import CONSOLE
from governance.core.deployment_requests import Required
from governance.core.roles import Role
from governance.delivery.commands.assignments import assign
from governance.models import Assignment
from governance.people.commands.requirements import require
from tests import builders
from tests.governance.deploying import live, saved
from tests.outcomes.pages import text_of


@pytest.fixture
def editor(client_as):
    return client_as(Role.EDITOR)


@pytest.fixture
def bundle(project):
    return live(saved(project, name="billing")).bundle


def at(project, name, *args):
    return reverse(f"governance:{name}", args=[project.slug, *args])


def fields(**changed):
    return {
        "bundle_name": "billing",
        "environment": "production",
        "agent_id": "billing-*",
        "tags": "",
        "priority": "0",
        **changed,
    }


def active(project):
    return Assignment.objects.filter(environment__project=project, ended_at=None)


def test_an_editor_can_assign_a_contract_and_it_is_listed(project, editor, bundle):
    assert "No assignments yet" in text_of(editor.get(at(project, "assignments")))
    sent = fields(tags="team=a\ntier = 1", priority="5")
    answer = editor.post(at(project, "new_assignment"), sent)
    assert answer["Location"] == at(project, "assignments")
    (row,) = active(project)
    assert (row.agent, row.tags, row.priority) == ("billing-*", {"team": "a", "tier": "1"}, 5)
    page = text_of(editor.get(at(project, "assignments")))
    assert "1 assignment" in page
    assert "billing-* team=a tier=1 production billing" in page


def test_a_contract_page_links_to_its_assignments(project, editor, bundle):
    page = editor.get(at(project, "contract", "billing"))
    assert re.search(r"Assigned to .* none Assign…", text_of(page))  # glossary entry in between
    assert f"{at(project, 'assignments')}?bundle=billing" in page.text
    saved(project, name="other")
    assign(project, bundle_name="other", env="production", by=CONSOLE)
    listed = text_of(editor.get(at(project, "assignments"), {"bundle": "billing"}))
    assert "No assignments of billing" in listed


def test_changing_the_agents_replaces_the_assignment(project, editor, bundle):
    row, _ = assign(project, bundle_name="billing", env="production", agent="a-*", by=CONSOLE)
    here = at(project, "assignment", row.pk)
    assert 'value="a-*"' in editor.get(here).text
    editor.post(here, fields(agent_id="b-*"))
    assert [each.agent for each in active(project)] == ["b-*"]


def test_changing_the_priority_does_not_create_an_assignment(project, editor, bundle):
    row, _ = assign(project, bundle_name="billing", env="production", agent="a-*", by=CONSOLE)
    editor.post(at(project, "assignment", row.pk), fields(agent_id="a-*", priority="7"))
    assert [each.priority for each in active(project)] == [7]


def test_an_assignment_can_be_deleted_after_confirmation(project, editor, bundle):
    row, _ = assign(project, bundle_name="billing", env="production", by=CONSOLE)
    here = at(project, "delete_assignment", row.pk)
    assert "Delete the assignment of billing" in text_of(editor.get(here))
    editor.post(here)
    assert not active(project).exists()
    assert editor.get(here).status_code == 404


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"bundle_name": "unknown"}, "Choose an existing contract."),
        ({"agent_id": ""}, "Required."),
        ({"tags": "no equals sign"}, "lines of name=value"),
        ({"tags": "=x"}, "A tag name has 1 to"),
        ({"priority": "many"}, "whole number"),
        ({"environment": "no way"}, "starts"),
    ],
)
def test_an_invalid_field_is_named(project, editor, bundle, changed, message):
    answer = editor.post(at(project, "new_assignment"), fields(**changed))
    assert answer.status_code == 422
    assert message in answer.text
    assert not active(project).exists()


def test_only_an_admin_can_assign_if_deployments_require_approval(
    project, editor, bundle, client_as
):
    require(project, env="production", required=Required(second_person=True), by=CONSOLE)
    assert editor.post(at(project, "new_assignment"), fields()).status_code in (403, 422)
    assert not active(project).exists()
    client_as(Role.ADMIN).post(at(project, "new_assignment"), fields())
    assert active(project).count() == 1


def test_a_viewer_can_read_but_not_change_assignments(project, client_as, bundle):
    assign(project, bundle_name="billing", env="production", by=CONSOLE)
    viewer = client_as(Role.VIEWER)
    page = viewer.get(at(project, "assignments")).text
    assert "billing" in page
    assert "Delete…" not in page
    assert "New assignment" not in page


def test_an_assignment_of_another_project_is_404(project, editor, bundle):
    other_project = builders.a_project()
    live(saved(other_project, name="billing"))
    row, _ = assign(other_project, bundle_name="billing", env="production", by=CONSOLE)
    assert editor.get(at(project, "assignment", row.pk)).status_code == 404
    assert editor.get(at(project, "assignment", 2**63)).status_code == 404


def test_the_list_can_be_exported_as_csv(project, editor, bundle):
    assign(project, bundle_name="billing", env="production", agent="a", by=CONSOLE)
    answer = editor.get(at(project, "assignments"), {"format": "csv"})
    assert b"billing,production,a" in b"".join(answer)
