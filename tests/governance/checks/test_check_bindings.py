"""Bindings of checks: replaced together, and only from the current revision."""

import pytest

from governance.checks.commands.bindings import BindingsMovedOn, bind
from governance.checks.domain import MOST_LINES, Binding
from governance.checks.queries.bindings import bindings_of, lines_by_check
from governance.core.actor import CONSOLE
from governance.core.errors import InvalidInput
from governance.core.roles import Role
from governance.models import AuditEntry, CheckBindings, Environment
from governance.people.policies import RoleNeeded
from tests import builders
from tests.governance.contracts.test_drafts import an_editor
from tests.governance.naming import a_check, bound


def line(tool: str = "*", check: str = "default", *, env: str = "*", agent: str = "*") -> Binding:
    return Binding(env, agent, tool, check)


def problems(project, *lines: Binding) -> list[tuple[str, str]]:
    with pytest.raises(InvalidInput) as refused:
        bind(project, lines, by=CONSOLE)
    return [(problem.path, problem.message) for problem in refused.value.errors]


def test_a_new_project_has_no_bindings_and_revision_zero(project):
    assert (bindings_of(project).revision, bindings_of(project).lines) == (0, ())


def test_saving_replaces_all_bindings_in_order(project):
    a_check(project)
    bound(project, "b_* mine", "a_* default", "production bot * http")
    result = bindings_of(project)
    assert [str(each) for each in result.lines] == [
        "* * b_* → mine",
        "* * a_* → default",
        "production bot * → http",
    ]
    assert (result.revision, result.changed_by) == (1, "console")
    assert bound(project, "x default").revision == 2
    assert [each.tool for each in bindings_of(project).lines] == ["x"]
    assert bound(project).lines == ()


def test_saving_the_same_bindings_changes_nothing(project):
    bound(project, "x default")
    assert bound(project, "x default").revision == 1
    assert AuditEntry.objects.filter(action="bindings changed").count() == 1


def test_a_save_based_on_a_stale_revision_is_rejected(project):
    bound(project, "x default")
    with pytest.raises(BindingsMovedOn) as refused:
        bind(project, [line("y")], revision=0, by=CONSOLE)
    assert refused.value.present.revision == 1
    assert [each.tool for each in bindings_of(project).lines] == ["x"]
    assert bind(project, [line("y")], revision=1, by=CONSOLE).revision == 2


def test_a_change_is_audited_with_old_and_new_bindings(project):
    bound(project, "x default")
    bound(project, "y default", "x default")
    entry = AuditEntry.objects.filter(action="bindings changed").latest("number")
    assert entry.details == {
        "revision": 2,
        "was": ["* * x → default"],
        "lines": ["* * y → default", "* * x → default"],
    }


def test_an_unknown_check_is_reported_at_its_binding(project):
    a_check(builders.a_project(), name="theirs")
    (result,) = problems(project, line(), line(check="theirs"))
    assert result == ("bindings[1].check", "No check `theirs`.")
    assert not CheckBindings.objects.exists()


@pytest.mark.parametrize(
    ("unfit", "path"),
    [
        (line(""), "bindings[0].tool"),
        (line("x" * 1_025), "bindings[0].tool"),
        (line("a\0b"), "bindings[0].tool"),
        (line("a\ud800"), "bindings[0].tool"),
        (line(agent="x" * 129), "bindings[0].agent"),
        (line(env=""), "bindings[0].environment"),
        (line(env="no environment"), "bindings[0].environment"),
        (line(check="\0"), "bindings[0].check"),
    ],
)
def test_a_binding_that_can_never_match_is_rejected_with_its_path(project, unfit, path):
    assert path in [place for place, _ in problems(project, unfit)]


def test_a_project_has_at_most_500_bindings(project):
    lines = [line(f"tool_{number}") for number in range(MOST_LINES)]
    assert len(bind(project, lines, by=CONSOLE).lines) == MOST_LINES
    with pytest.raises(InvalidInput, match="at most 500"):
        bind(project, [*lines, line()], by=CONSOLE)


def test_a_binding_creates_the_environment_that_it_names(project):
    bind(project, [line(env="canary"), line(env="stag*")], by=CONSOLE)
    assert [each.name for each in Environment.objects.filter(project=project)] == ["canary"]


def test_an_operator_cannot_change_bindings(project):
    with pytest.raises(RoleNeeded):
        bind(project, [], by=an_editor(project, Role.OPERATOR))


def test_bindings_are_grouped_by_check(project):
    bound(project, "a default", "b http", "c default")
    used = lines_by_check(bindings_of(project))
    assert {name: [each.tool for each in lines] for name, lines in used.items()} == {
        "default": ["a", "c"],
        "http": ["b"],
    }
