"""Success targets: permissions to set them, and red rates below them."""

import re

import pytest

from governance.core.roles import Role
from governance.models import AuditEntry, Project
from outcomes.models import Tool
from tests.outcomes.pages import an_item, text_of

RED = '<b class="bad-text">'


def red_tools(body: str) -> list[str]:
    rows = re.findall(r'<tr data-row="tool-([^"]*)">(.*?)</tr>', body, flags=re.S)
    return [name for name, row in rows if RED in row]


@pytest.fixture
def traffic(agent) -> None:
    agent.post(
        *[an_item(tool_name="crm", output={"is_error": at < 30}) for at in range(60)],
        *[an_item(tool_name="docs") for _ in range(60)],
    )


@pytest.fixture
def set_target(project, client_as):
    def post(tool: str = "", percent: str = "", role: Role = Role.EDITOR):
        address = f"/p/{project.slug}/success-targets/"
        return client_as(role).post(address, {"tool": tool, "percent": percent})

    return post


@pytest.mark.usefixtures("traffic")
def test_without_a_target_no_rate_is_red(pages):
    assert red_tools(pages.get("tools/").content.decode()) == []


@pytest.mark.usefixtures("traffic")
def test_rates_below_the_project_target_are_red_on_every_page(pages, set_target, project):
    assert set_target(percent="93").status_code == 302
    assert Project.objects.get(pk=project.pk).success_target == 0.93
    for path in ("tools/", "overview/"):
        assert red_tools(pages.get(path).content.decode()) == ["crm"]
    assert RED in pages.get("agents/").content.decode()
    assert RED in pages.get("sessions/").content.decode()
    tool = pages.get("tools/crm/")
    assert "50.0 % of 60, target 93.0 %" in text_of(tool)
    assert '<span class="bad-text">50.0 %</span>' in tool.content.decode()
    assert '<span class="bad-text">100.0 %</span>' not in pages.get("tools/docs/").content.decode()


@pytest.mark.usefixtures("traffic")
def test_a_tool_target_overrides_the_project_target(pages, set_target):
    set_target(percent="93")
    assert set_target("crm", "40").status_code == 302
    assert red_tools(pages.get("tools/").content.decode()) == []
    set_target("crm")  # empty, so the tool has no target
    assert red_tools(pages.get("tools/").content.decode()) == ["crm"]
    entries = AuditEntry.objects.filter(action="success target set").order_by("number")
    assert [each.details["target"] for each in entries] == ["93.0 %", "40.0 %", None]


@pytest.mark.usefixtures("traffic")
def test_a_rate_of_100_percent_is_dimmed(pages):
    assert '<b class="quiet-text">100.0 %</b>' in pages.get("tools/").content.decode()


@pytest.mark.usefixtures("traffic")
@pytest.mark.parametrize(
    ("tool", "percent"), [("nope", "90"), ("", "101"), ("", "x"), ("crm", "-1")]
)
def test_an_unknown_tool_or_an_impossible_target_is_rejected(set_target, project, tool, percent):
    assert set_target(tool, percent).status_code == 422
    assert Project.objects.get(pk=project.pk).success_target is None
    assert not Tool.objects.exclude(success_target=None).exists()


def test_only_editors_can_set_targets(set_target, pages, project):
    assert set_target(percent="90", role=Role.OPERATOR).status_code == 403
    assert "Targets" not in pages.text("tools/")
