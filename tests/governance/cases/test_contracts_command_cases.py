"""`manage.py contracts`: the tests of a contract are in a file next to it."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from governance.case_runs.queries import cases_of, stored_run
from governance.cases.commands import replace_cases
from governance.contracts.queries.contracts import bundle_named
from governance.core.actor import CONSOLE
from governance.core.cases import Case, CaseCall, Decides
from governance.models import AuditEntry, BundleVersion, Deployment
from tests import builders
from tests.governance.casing import LAX, TEXT, a_case, a_session, added, saved
from tests.governance.contracts.test_contracts_command import pull, push, run
from tests.governance.deploying import PRODUCTION

DENIED = {
    "name": "75 is denied",
    "call": {"tool": "refund", "args": {"amount": 75}},
    "expects": {"action": "block", "rule": "too-much"},
}
THIRD = {
    "name": "third",
    "calls": [{"tool": "t", "args": {}, "times": 3}],
    "expects": {"stopped_at": 3},
}


def write(folder, *cases: object) -> None:
    (folder / "d.tests.json").write_text(json.dumps({"cases": cases}))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d.yaml").write_text(TEXT)
    write(tmp_path, DENIED, THIRD)
    return tmp_path


def names(project) -> list[str]:
    bundle = bundle_named(project, "d")
    assert bundle is not None
    return [row.name for row in cases_of(bundle)]


def test_a_push_uploads_the_tests_once_and_runs_them(project, folder):
    output = push(project, folder)
    assert "d.yaml: d v1, new contract" in output
    assert "    test “75 is denied” added\n    test “third” added" in output
    assert "d v1: All 2 tests pass." in output
    assert names(project) == ["75 is denied", "third"]
    ran = stored_run(BundleVersion.objects.get())
    assert ran is not None
    assert ran.sentence == "All 2 tests pass"
    before = AuditEntry.objects.count()
    assert "Nothing to do." in push(project, folder)
    assert (AuditEntry.objects.count(), BundleVersion.objects.count()) == (before, 1)


def test_the_push_preview_lists_changes_to_each_test(project, folder):
    push(project, folder)
    write(folder, THIRD | {"name": "new"}, THIRD, DENIED | {"expects": {"action": "block"}})
    with pytest.raises(CommandError, match="Add --yes to run without a prompt"):
        run("push", str(folder), "--project", project.slug)
    assert names(project) == ["75 is denied", "third"]
    output = push(project, folder)
    assert "test “75 is denied” changed\n    test “new” added\n    tests in another order" in output
    write(folder, THIRD)
    assert "test “new” removed\n    test “75 is denied” removed" in push(project, folder)
    assert names(project) == ["third"]


def test_a_push_without_a_test_file_leaves_the_consoles_tests_unchanged(project, folder):
    push(project, folder)
    (folder / "d.tests.json").unlink()
    assert "Nothing to do." in push(project, folder)
    assert names(project) == ["75 is denied", "third"]


def test_a_push_with_a_deployment_runs_the_pushed_tests(project, folder):
    (folder / "d.yaml").write_text(LAX)
    with pytest.raises(CommandError, match="not deployed: The test “75 is denied” fails"):
        push(project, folder, "--env", PRODUCTION)
    assert not Deployment.objects.exists()
    (folder / "d.yaml").write_text(TEXT)
    assert "d v2 deployed to production." in push(project, folder, "--env", PRODUCTION)


def test_the_check_command_runs_local_tests_without_a_project(folder):
    assert "1 contract ready to push." in run("check", str(folder))
    (folder / "d.yaml").write_text(LAX)
    with pytest.raises(CommandError, match="1 contract fails its own tests"):
        run("check", str(folder))
    result = run_and_read(folder)
    assert "d.tests.json: test “75 is denied” failed: expected denied by `too-much`" in result


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[", "d.tests.json:1:2: Line 1, column 2"),
        ("{}", "d.tests.json: Field required"),
        ('{"cases": [], "cases": []}', "d.tests.json: The key `cases` is defined twice."),
        (json.dumps({"cases": [DENIED, DENIED]}), "Another test is named “75 is denied”"),
        (json.dumps({"cases": [DENIED | {"expects": {}}]}), "A `call` needs `expects.action`."),
        (
            json.dumps({"cases": [DENIED | {"name": "a\nb"}]}),
            "Enter one line of 1 to 128 characters",
        ),
        ("\ud800", "d.tests.json: This is not UTF-8, from byte 0 on."),
    ],
)
def test_an_invalid_test_file_stops_the_push_with_a_reason(project, folder, text, words):
    (folder / "d.tests.json").write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(CommandError, match="Nothing was pushed"):
        push(project, folder)
    assert words in run_and_read(folder)
    assert not BundleVersion.objects.exists()


def run_and_read(folder) -> str:
    output = io.StringIO()
    with pytest.raises(CommandError):
        call_command("contracts", "check", str(folder), stdout=output, stderr=output)
    return output.getvalue()


def test_tests_without_a_contract_are_reported(folder):
    (folder / "d.yaml").rename(folder / "e.yaml")
    assert "d.tests.json: No contract file with this name next to" in run_and_read(folder)


def test_pushing_freshly_pulled_tests_changes_nothing(project, tmp_path):
    surrogate = Case("half", Decides(call=CaseCall(tool="t", args={"x": "\ud800"}), action="allow"))
    added(saved(project).bundle, a_case(rule="too-much"), a_session(), surrogate)
    assert "d.tests.json: 3 tests of d, written" in pull(project, tmp_path)
    first = (tmp_path / "d.tests.json").read_bytes()
    assert json.loads(first)["cases"][:2] == [DENIED, THIRD]
    assert "Nothing to do." in pull(project, tmp_path)
    assert "Nothing to do." in push(project, tmp_path)
    (tmp_path / "d.tests.json").unlink()
    pull(project, tmp_path)
    assert (tmp_path / "d.tests.json").read_bytes() == first


def test_a_pull_does_not_rewrite_an_equivalent_test_file(project, folder):
    push(project, folder)
    output = pull(project, folder)
    assert "d.tests.json: 2 tests of d, unchanged" in output
    assert (folder / "d.tests.json").read_text() == json.dumps({"cases": [DENIED, THIRD]})


def test_a_pull_overwrites_tests_removed_from_the_console(project, folder):
    saved(project)
    assert "d.tests.json: 0 tests of d, overwritten" in pull(project, folder)
    assert json.loads((folder / "d.tests.json").read_text()) == {"cases": []}


def test_a_contract_without_tests_gets_no_test_file(project, tmp_path):
    saved(project)
    pull(project, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["d.yaml"]


def test_the_api_accepts_a_test_file_unchanged(project, folder):
    bundle = saved(project).bundle
    manager = builders.bearing(builders.a_key(project, "manage")[0])
    body = (folder / "d.tests.json").read_text()
    sent = manager.put("/v1/contracts/d/cases", body, content_type="application/json")
    assert sent.status_code == 200
    assert "Nothing to do." in push(project, folder)
    replace_cases(bundle, [], by=CONSOLE)
    assert "test “third” added" in push(project, folder)
