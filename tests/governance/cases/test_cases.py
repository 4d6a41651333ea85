"""Tests stored with a contract: when they run, and what they block."""

import pytest

from governance.case_runs import queries
from governance.case_runs.queries import NOT_RUN, blocked_by, cases_of, run_of, run_text, stored_run
from governance.cases.commands import (
    NameInUse,
    add_case,
    change_case,
    move_case,
    remove_case,
    replace_cases,
)
from governance.cases.domain import MOST_CASES
from governance.cases.queries import case_numbered
from governance.contracts.queries.contracts import live_in, newest_version
from governance.core.actor import CONSOLE
from governance.core.cases import Case, CaseCall, Decides
from governance.core.errors import Conflict, Forbidden, InvalidInput, NotFound
from governance.core.roles import Role
from governance.deployments.commands.deployments import deploy, roll_back
from governance.deployments.commands.requests import approve_request, ask_to_deploy
from governance.deployments.queries import plan_of
from governance.models import AuditEntry, BundleVersion, CaseRun, Deployment
from governance.models import Case as Row
from governance.people.policies import RoleNeeded
from tests import builders
from tests.governance.casing import LAX, TEXT, a_case, a_session, added, saved
from tests.governance.contracts.documents import EVIL, EVIL_TEXT, document, post, pre
from tests.governance.deploying import live, somebody, takes_two


@pytest.fixture
def bundle(project):
    return saved(project).bundle


def names(bundle) -> list[str]:
    return [case.name for case in cases_of(bundle)]


def results(version) -> dict[str, bool]:
    return {each.name: each.passed for each in run_of(version).results}


def newest(bundle) -> BundleVersion:
    version = newest_version(bundle)
    assert version is not None
    return version


def last_entry() -> AuditEntry:
    entry = AuditEntry.objects.order_by("-number").first()
    assert entry is not None
    return entry


def test_cases_are_stored_unchanged_and_in_order(bundle):
    cases = [a_case(), a_session(), a_case("a", "allow", amount=1)]
    added(bundle, *cases)
    assert [row.spec() for row in cases_of(bundle)] == cases


def test_case_names_are_unique_within_a_contract(bundle):
    (row, _) = added(bundle, a_case("one"), a_case("two"))
    with pytest.raises(NameInUse):
        add_case(bundle, a_case("two"), by=CONSOLE)
    with pytest.raises(NameInUse):
        change_case(row, a_case("two"), by=CONSOLE)
    change_case(row, a_case("one", amount=9), by=CONSOLE)
    assert names(bundle) == ["one", "two"]


def test_two_contracts_can_have_cases_with_the_same_name(project, bundle):
    other = saved(project, TEXT.replace("name: d", "name: other")).bundle
    added(bundle, a_case("one"))
    added(other, a_case("one"))


def test_a_case_swaps_with_its_neighbor_and_stops_at_either_end(bundle):
    first, _, third = added(bundle, a_case("1"), a_case("2"), a_case("3"))
    move_case(third, up=True, by=CONSOLE)
    assert names(bundle) == ["1", "3", "2"]
    move_case(first, up=True, by=CONSOLE)
    move_case(first, up=False, by=CONSOLE)
    assert names(bundle) == ["3", "1", "2"]


def test_a_removed_case_cannot_be_changed(bundle):
    (row,) = added(bundle, a_case())
    remove_case(row, by=CONSOLE)
    assert names(bundle) == []
    with pytest.raises(NotFound):
        change_case(row, a_case("other"), by=CONSOLE)


def test_an_operator_cannot_change_cases(bundle):
    (row,) = added(bundle, a_case())
    operator = somebody(role=Role.OPERATOR)
    for write in (
        lambda: add_case(bundle, a_case("b"), by=operator),
        lambda: change_case(row, a_case("b"), by=operator),
        lambda: move_case(row, up=True, by=operator),
        lambda: remove_case(row, by=operator),
        lambda: replace_cases(bundle, [], by=operator),
    ):
        with pytest.raises(RoleNeeded):
            write()


def test_every_write_is_audited(bundle):
    one, two = added(bundle, a_case("one"), a_case("two"))
    change_case(one, a_case("1"), by=CONSOLE)
    move_case(two, up=True, by=CONSOLE)
    remove_case(two, by=CONSOLE)
    replace_cases(bundle, [a_case("x")], by=CONSOLE)
    row = list(AuditEntry.objects.filter(action__startswith="test").order_by("number"))
    assert [each.action for each in row] == [
        "test added",
        "test added",
        "test changed",
        "test moved",
        "test removed",
        "tests replaced",
    ]
    assert row[2].details == {"expects": "denied", "was": "one"}
    assert row[5].details == {"was": 1, "tests": ["x"]}


def test_an_unchanged_case_is_not_audited(bundle):
    (row,) = added(bundle, a_case())
    before = last_entry().number
    change_case(row, a_case(), by=CONSOLE)
    replace_cases(bundle, [a_case()], by=CONSOLE)
    assert last_entry().number == before


def test_replacing_cases_is_rejected_if_one_is_invalid_and_names_it(bundle):
    added(bundle, a_case("kept"))
    with pytest.raises(InvalidInput) as refused:
        replace_cases(bundle, [a_case("a"), a_case("")], by=CONSOLE)
    assert refused.value.errors[0].path == "cases[1].name"
    with pytest.raises(InvalidInput) as refused:
        replace_cases(bundle, [a_case("a"), a_case("a")], by=CONSOLE)
    assert refused.value.errors[0].path == "cases[1].name"
    assert names(bundle) == ["kept"]


def test_a_contract_has_at_most_200_cases(bundle):
    many = [a_case(str(number)) for number in range(MOST_CASES)]
    replace_cases(bundle, many, by=CONSOLE)
    with pytest.raises(InvalidInput, match="at most 200"):
        add_case(bundle, a_case(), by=CONSOLE)
    with pytest.raises(InvalidInput, match="at most 200"):
        replace_cases(bundle, [*many, a_case()], by=CONSOLE)


def test_cases_run_on_every_save_and_failures_are_stored_with_the_version(project, bundle):
    added(bundle, a_case(rule="too-much"), a_session())
    lax = saved(project, LAX)
    ran = stored_run(lax)
    assert ran is not None
    assert [(each.name, each.passed) for each in ran.results] == [
        ("75 is denied", False),
        ("third", True),
    ]
    assert ran.results[0].words == "expected denied by `too-much`, got allowed"
    assert ran.sentence == "1 of 2 tests fail"
    strict = saved(project, TEXT + "\n")
    again, old = stored_run(strict), stored_run(lax)
    assert again is not None
    assert again.sentence == "All 2 tests pass"
    assert old == ran


def test_a_version_without_cases_has_no_stored_run(project, bundle):
    version = saved(project, LAX)
    assert stored_run(version) is None
    assert run_of(version).sentence == "No tests yet"


def test_a_deployment_runs_the_current_cases(project, bundle):
    version = saved(project, LAX)
    (row,) = added(bundle, a_case(action="allow"))
    live(version, "staging")
    ran = stored_run(version)
    assert ran is not None
    assert ran.failing == 0
    change_case(row, a_case(), by=CONSOLE)
    with pytest.raises(Conflict, match="The test “75 is denied” fails: expected denied"):
        live(version, "production")
    ran = stored_run(version)
    assert ran is not None
    assert ran.failing == 1
    remove_case(row, by=CONSOLE)
    live(version, "production")
    assert stored_run(version) is None


def test_a_failing_case_blocks_the_deployment(project, bundle):
    added(bundle, a_case(action="allow"), a_case("b", "ask"))
    version = newest(bundle)
    with pytest.raises(Conflict, match="2 of 2 fail") as refused:
        deploy(version, to="production", by=somebody())
    assert refused.value.code == "tests_failing"
    assert not Deployment.objects.exists()
    (blocked,) = plan_of(version, "production").blocked
    assert blocked.overridable


def test_only_an_admin_overrides_failing_cases_and_the_reason_is_audited(project, bundle):
    added(bundle, a_case(action="allow"))
    version = newest(bundle)
    with pytest.raises(Forbidden):
        deploy(version, to="production", by=somebody(), override="It burns.")
    admin = somebody(role=Role.ADMIN)
    deployment, _ = deploy(version, to="production", by=admin, override="It burns.")
    assert deployment.override == "It burns."
    assert last_entry().details["override"] == "It burns."


def test_a_case_added_after_a_request_can_block_its_approval(project, bundle):
    takes_two(project)
    version = newest(bundle)
    request, _ = ask_to_deploy(version, to="production", by=somebody())
    (row,) = added(bundle, a_case(action="allow"))
    with pytest.raises(Conflict, match="fails"):
        approve_request(request, by=somebody("two"))
    remove_case(row, by=CONSOLE)
    approve_request(request, by=somebody("two"))
    assert Deployment.objects.exists()


def test_a_rollback_runs_no_cases(project, bundle):
    first = newest(bundle)
    live(first)
    live(saved(project, LAX))
    added(bundle, a_case(action="allow"))
    deployment = live_in(bundle, "production")
    assert deployment is not None
    assert roll_back(deployment, by=somebody()).version == first


def test_an_invalid_contract_reports_why_its_tests_could_not_run(project, bundle):
    ran = run_text("kind: [", [a_case()])
    assert (ran.results, ran.sentence) == ((), "Tests could not run")
    assert ran.why.startswith("line 1")
    assert run_text(TEXT.replace("type: pre", "type: x"), [a_case()]).why


@pytest.mark.one_database
@pytest.mark.slow
def test_a_contract_that_exceeds_its_budget_fails_its_cases_and_stops(project, monkeypatch):
    monkeypatch.setattr(queries, "AT_ONCE", 3)  # half a second of CPU time each
    slow = [a_case(str(number), x=EVIL_TEXT) for number in range(9)]
    ran = run_text(EVIL, slow)
    assert ran.failing == 9
    assert ran.results[0].got.startswith("no answer: Evaluation stopped")
    assert ran.results[-1].got == NOT_RUN
    version = saved(project, EVIL)
    added(version.bundle, slow[0])
    assert [each.overridable for each in blocked_by(run_of(version))] == [True]


def test_rules_on_output_are_evaluated_separately_from_rules_on_the_call(project):
    text = document(pre("{args.x: {exists: true}}", action="ask", rule_id="asks"), post("warn"))
    secret = CaseCall(tool="t", output="a secret")
    warned = Case("says", Decides(call=secret, action="warn", rule="p"))
    assert run_text(text, [warned]).failing == 0
    ran = run_text(text, [a_case("asks", "ask", rule="asks", x=1)])
    assert ran.failing == 0


def test_cases_and_runs_are_deleted_with_their_contract(project, bundle):
    added(bundle, a_case())
    saved(project, LAX)
    project.bundles.all().delete()
    assert not Row.objects.exists()
    assert not CaseRun.objects.exists()


def test_cases_of_another_project_do_not_exist(bundle):
    (row,) = added(bundle, a_case())
    other = saved(builders.a_project()).bundle
    assert case_numbered(other, row.pk) is None
    assert case_numbered(bundle, 2**63) is None
