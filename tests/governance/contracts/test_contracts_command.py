"""`manage.py contracts`: push and pull between a git folder and a project, byte for byte."""

import io

import pytest
from django.core.management import CommandError, call_command

from governance.contracts.commands.contracts import save_version
from governance.contracts.queries.contracts import bundle_named
from governance.core.actor import CONSOLE
from governance.models import BundleVersion, Deployment, DeploymentRequest
from tests import builders
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.deploying import PRODUCTION, a_failing_test, live, saved, takes_two

TEXT = document(pre(ALWAYS, message="no")) + "\n# the end, without a line break"


def run(*words: str) -> str:
    output = io.StringIO()
    call_command("contracts", *words, stdout=output, stderr=output)
    return output.getvalue()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "d.yaml").write_text(TEXT)
    (tmp_path / "README.md").write_text("no contract")
    return tmp_path


def push(project, folder, *more: str) -> str:
    return run("push", str(folder), "--project", project.slug, "--yes", *more)


def test_a_repeated_push_changes_nothing(project, folder):
    assert "d.yaml: d v1, new contract" in push(project, folder)
    assert bytes(BundleVersion.objects.get().document) == TEXT.encode()
    again = push(project, folder)
    assert "d.yaml: d v1, unchanged" in again
    assert "Nothing to do." in again
    assert BundleVersion.objects.count() == 1


def test_the_push_preview_describes_changes_by_meaning(project, folder):
    push(project, folder)
    (folder / "d.yaml").write_text(TEXT.replace("message: 'no'", "message: 'never'"))
    with pytest.raises(CommandError, match="Add --yes to run without a prompt"):
        run("push", str(folder), "--project", project.slug)
    assert BundleVersion.objects.count() == 1
    output = push(project, folder, "--message", "Say never")
    assert "d.yaml: d v2, new version" in output
    assert "rule `a`" in output
    assert "never" in output
    assert BundleVersion.objects.get(number=2).message == "Say never"


def test_a_push_with_an_environment_deploys_once(project, folder):
    assert "d v1 deployed to production." in push(project, folder, "--env", PRODUCTION)
    assert "Nothing to do." in push(project, folder, "--env", PRODUCTION)
    assert Deployment.objects.count() == 1


def test_a_push_requests_approval_if_the_environment_requires_it(project, folder):
    takes_two(project)
    output = push(project, folder, "--env", PRODUCTION)
    assert "needs approval in production" in output
    request = DeploymentRequest.objects.get()
    assert f"request {request.pk}." in output
    push(project, folder, "--env", PRODUCTION)
    assert DeploymentRequest.objects.count() == 1
    assert not Deployment.objects.exists()


def test_a_blocked_deployment_ends_the_push_with_its_reason(project, folder):
    push(project, folder)
    words = a_failing_test(BundleVersion.objects.get())
    with pytest.raises(CommandError, match=f"d v1 saved, not deployed: {words}"):
        push(project, folder, "--env", PRODUCTION)


def test_the_check_command_reports_file_line_and_column_and_fails(project, folder):
    assert "1 contract ready to push." in run("check", str(folder))
    (folder / "bad.yml").write_text(TEXT.replace("type: pre", "type: prae"))
    output = io.StringIO()
    with pytest.raises(CommandError, match="1 contract with errors"):
        call_command("contracts", "check", str(folder), stdout=output, stderr=output)
    line = TEXT[: TEXT.index("type: pre")].count("\n") + 1
    assert f"bad.yml:{line}:" in output.getvalue()
    with pytest.raises(CommandError, match="Nothing was pushed"):
        push(project, folder)
    assert not BundleVersion.objects.exists()


def test_the_check_command_with_a_project_previews_a_push(project, folder):
    result = run("check", str(folder), "--project", project.slug, "--env", PRODUCTION)
    assert "d.yaml: d v1, new contract, to be deployed in production" in result
    assert not BundleVersion.objects.exists()


def test_a_contract_in_two_files_is_rejected(project, folder):
    (folder / "e.yaml").write_text(TEXT)
    output = io.StringIO()
    with pytest.raises(CommandError):
        call_command("contracts", "check", str(folder), stdout=output, stderr=output)
    assert "e.yaml: d.yaml is the contract `d` too" in output.getvalue()


def test_an_oversized_file_is_rejected_without_parsing(folder):
    (folder / "big.yaml").write_bytes(b"# " + b"x" * 600_000)
    output = io.StringIO()
    with pytest.raises(CommandError):
        call_command("contracts", "check", str(folder), stdout=output, stderr=output)
    assert ": The document has 600,002 bytes" in output.getvalue()


def pull(project, folder, *more: str) -> str:
    return run("pull", str(folder), "--project", project.slug, "--yes", *more)


def test_pushing_freshly_pulled_contracts_changes_nothing(project, tmp_path):
    save_version(project, document=TEXT.encode(), by=CONSOLE)
    saved(project, name="other")
    folder = tmp_path / "new"
    assert "d.yaml: d v1, written" in pull(project, folder)
    assert (folder / "d.yaml").read_bytes() == TEXT.encode()
    assert sorted(each.name for each in folder.iterdir()) == ["d.yaml", "other.yaml"]
    assert "Nothing to do." in pull(project, folder)
    assert "Nothing to do." in push(project, folder)


def test_a_pull_preserves_file_names_and_unrelated_files(project, folder):
    saved(project, "newer")
    (folder / "d.yaml").rename(folder / "first.yaml")
    assert "first.yaml: d v1, overwritten" in pull(project, folder)
    assert b"newer" in (folder / "first.yaml").read_bytes()
    assert sorted(each.name for each in folder.iterdir()) == ["README.md", "first.yaml"]


def test_a_pull_with_an_environment_writes_its_deployed_versions(project, tmp_path):
    live(saved(project, "first"))
    saved(project, "second")
    saved(project, name="nowhere")
    pull(project, tmp_path, "--env", PRODUCTION)
    assert [each.name for each in tmp_path.iterdir()] == ["d.yaml"]
    assert b"first" in (tmp_path / "d.yaml").read_bytes()


def test_an_unknown_name_is_reported(project, tmp_path):
    with pytest.raises(CommandError, match="No such project: nobody"):
        run("push", str(tmp_path), "--project", "nobody", "--yes")
    with pytest.raises(CommandError, match="No such folder"):
        run("check", str(tmp_path / "nothing"))


def test_a_push_or_pull_does_not_affect_other_projects(project, folder):
    other = builders.a_project()
    push(other, folder)
    assert bundle_named(project, "d") is None
    pull(project, folder)
    assert (folder / "d.yaml").read_text() == TEXT
