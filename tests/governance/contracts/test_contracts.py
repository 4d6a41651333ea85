"""The contract store: immutable versions, and one live version per environment."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.audit_log import verify
from governance.contracts.commands.contracts import save_version
from governance.contracts.queries.contracts import live_deployments
from governance.core.actor import CONSOLE, person
from governance.core.errors import DocumentInvalid, Forbidden, InvalidInput
from governance.core.roles import Role
from governance.deployments.commands.deployments import deploy
from governance.models import AuditEntry, Bundle, BundleVersion, Deployment, Environment
from tests import builders
from tests.examples import with_a_database
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.threads import in_threads

EDITOR = person(0, "editor@example.test", Role.EDITOR)
OPERATOR = person(0, "operator@example.test", Role.OPERATOR)
TEXT = document(pre(ALWAYS))


def save(project, text=TEXT, *, by=EDITOR, message=""):
    return save_version(project, document=text.encode(), message=message, by=by)


def session_rule(limits: str, *, more: str = "") -> str:
    return f"{{id: s, type: session, {more}limits: {limits}, then: {{action: block, message: m}}}}"


def deployments(project):
    bundles = Bundle.objects.filter(project=project).values_list("pk", flat=True)
    return live_deployments(project, bundles)


def in_old_words(text: str) -> str:
    text = text.replace("kind: Ruleset", "kind: ContractBundle").replace("rules:", "contracts:")
    return text.replace("action: block", "effect: deny")


def test_every_save_creates_a_version_of_its_contract(project):
    first, _ = save(project, message=" The first. ")
    second, is_new = save(project, TEXT + "\n")
    other, _ = save(project, TEXT.replace("name: d", "name: other"))
    assert is_new
    assert [str(each) for each in (first, second, other)] == ["d v1", "d v2", "other v1"]
    assert (first.message, first.author) == ("The first.", "person:editor@example.test")
    assert first.revision_hash == hashlib.sha256(TEXT.encode()).hexdigest()


def test_contracts_with_the_same_name_in_two_projects_are_separate(project):
    save(project)
    version, is_new = save(builders.a_project())
    assert (version.number, is_new) == (1, True)


def test_saving_the_newest_bytes_again_creates_no_version(project):
    first, _ = save(project)
    again, is_new = save(project, message="again")
    assert (again.pk, is_new, again.message) == (first.pk, False, "")
    save(project, TEXT + "\n")
    back, is_new = save(project)
    assert (back.number, is_new) == (3, True)
    assert back.revision_hash == first.revision_hash
    assert AuditEntry.objects.count() == 3


@pytest.mark.django_db
@with_a_database(25)
@given(
    ending=st.sampled_from(["\n", "\r\n"]),
    comment=st.text(st.characters(exclude_categories=["C", "Z"], codec="utf-8"), max_size=20),
    spaces=st.integers(0, 5),
    old=st.booleans(),
)
def test_bytes_are_stored_as_written(ending, comment, spaces, old):
    project = builders.a_project()
    text = f"# {comment}\n{TEXT}{' ' * spaces}\n"
    if old:
        text = in_old_words(text)
    written = text.replace("\n", ending).encode()
    version, _ = save_version(project, document=written, by=EDITOR)
    row = BundleVersion.objects.get(pk=version.pk)
    assert bytes(row.document) == written
    assert row.revision_hash == hashlib.sha256(written).hexdigest()
    assert row.dialect == ("old" if old else "new")


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + TEXT,
        TEXT + "\0",
        TEXT + "\n# " + "x" * 512 * 1024,
        TEXT.replace("name: d", "name: *d"),
        TEXT.replace("rules:", "rulez:"),
        "",
    ],
    ids=["BOM", "NUL", "too large", "alias", "misspelt", "empty"],
)
def test_a_rejected_save_stores_nothing(project, text):
    with pytest.raises(DocumentInvalid):
        save(project, text)
    assert not Bundle.objects.exists()
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("name", ["x" * 129, '"d\\n"'], ids=["long", "line end"])
def test_an_invalid_contract_name_is_rejected_with_its_position(project, name):
    with pytest.raises(DocumentInvalid) as refused:
        save(project, TEXT.replace("name: d", f"name: {name}"))
    (problem,) = refused.value.errors
    assert (problem.path, problem.line, problem.column) == ("metadata.name", 3, 18)


@pytest.mark.parametrize("message", ["x" * 2001, "a\0b", "\ud800"], ids=["long", "NUL", "half"])
def test_an_invalid_message_is_rejected(project, message):
    with pytest.raises(InvalidInput):
        save(project, message=message)


@pytest.mark.parametrize(
    ("limits", "stored"),
    [
        ("{max_tool_calls: 5}", {"max_tool_calls": 5}),
        ("{max_attempts: 3.0}", {"max_attempts": 3}),
        (f"{{max_tool_calls: {10**30}}}", {"max_tool_calls": 2**53}),
        ("{max_calls_per_tool: {a: 2, 7: 3}}", {"max_calls_per_tool": {"a": 2}}),
        ('{max_calls_per_tool: {"a\\0b": 2}}', {"max_calls_per_tool": {}}),
    ],
    ids=["plain", "3.0", "longer than a message takes", "no text", "NUL"],
)
def test_session_rules_are_stored_with_the_version(project, limits, stored):
    version, _ = save(project, document(session_rule(limits)))
    version.refresh_from_db()
    assert version.session_rules == [{"id": "s", "limits": stored, "mode": "enforce"}]


def test_a_disabled_session_rule_sets_no_limits(project):
    text = document(pre(ALWAYS), session_rule("{max_tool_calls: 5}", more="enabled: false, "))
    assert save(project, text)[0].session_rules == []


def test_an_operator_can_neither_save_nor_deploy(project):
    version, _ = save(project)
    with pytest.raises(Forbidden):
        save(project, TEXT + "\n", by=OPERATOR)
    with pytest.raises(Forbidden):
        deploy(version, to="production", by=OPERATOR)
    assert not Deployment.objects.exists()


def test_the_first_deployment_creates_its_environment(project):
    version, _ = save(project)
    with pytest.raises(InvalidInput):
        deploy(version, to="-", by=EDITOR)
    deployment, is_new = deploy(version, to="staging", by=EDITOR)
    assert is_new
    assert [each.name for each in Environment.objects.all()] == ["staging"]
    assert deployment.author == "person:editor@example.test"


def test_redeploying_the_live_version_changes_nothing_and_an_older_one_rolls_back(project):
    first, _ = save(project)
    second, _ = save(project, TEXT + "\n")
    live, _ = deploy(first, to="production", by=EDITOR)
    again, is_new = deploy(first, to="production", by=EDITOR)
    assert (again.pk, is_new) == (live.pk, False)
    deploy(second, to="production", by=EDITOR)
    back, is_new = deploy(first, to="production", by=EDITOR)
    assert is_new
    assert back.pk != live.pk
    assert [each.version.number for each in deployments(project)] == [1]


def test_each_contract_has_one_live_version_per_environment(project):
    first, _ = save(project)
    second, _ = save(project, TEXT + "\n")
    other, _ = save(project, TEXT.replace("name: d", "name: other"))
    deploy(first, to="production", by=EDITOR)
    deploy(second, to="staging", by=EDITOR)
    deploy(other, to="production", by=EDITOR)
    elsewhere = builders.a_project()
    deploy(save(elsewhere)[0], to="production", by=EDITOR)
    assert [f"{each}" for each in deployments(project)] == [
        "d v1 in production",
        "d v2 in staging",
        "other v1 in production",
    ]
    assert live_deployments(elsewhere, [first.bundle_id, other.bundle_id]) == []


def test_saves_and_deployments_are_audited(project):
    version, _ = save(project, by=CONSOLE)
    deploy(version, to="production", by=EDITOR)
    saved, deployed = AuditEntry.objects.filter(project=project).order_by("number")
    assert (saved.actor, saved.action, saved.subject) == ("console", "contract saved", "d v1")
    assert saved.details["revision_hash"] == version.revision_hash
    assert (deployed.action, deployed.subject) == ("contract deployed", "d v1")
    assert deployed.details["environment"] == "production"
    assert verify(project) is None


@pytest.mark.django_db(transaction=True)
def test_concurrent_saves_get_consecutive_version_numbers():
    project = builders.a_project()
    saved = in_threads(6, lambda which: save(project, TEXT + f"\n# {which}"))
    assert sorted(version.number for version, _ in saved) == [1, 2, 3, 4, 5, 6]
    assert all(is_new for _, is_new in saved)
    assert Bundle.objects.count() == 1
    assert verify(project) is None


@pytest.mark.django_db(transaction=True)
def test_concurrent_identical_saves_create_one_version():
    project = builders.a_project()
    saved = in_threads(4, lambda _: save(project))
    assert [is_new for _, is_new in saved].count(True) == 1
    assert {version.pk for version, _ in saved} == {BundleVersion.objects.get().pk}


@pytest.mark.django_db(transaction=True)
def test_concurrent_deployments_of_one_version_create_one():
    project = builders.a_project()
    version, _ = save(project)
    made = in_threads(4, lambda _: deploy(version, to="production", by=EDITOR))
    assert [is_new for _, is_new in made].count(True) == 1
    assert Deployment.objects.count() == Environment.objects.count() == 1
    assert verify(project) is None


@pytest.mark.django_db(transaction=True)
def test_concurrent_deployments_to_a_new_environment_create_it_once():
    project = builders.a_project()
    versions = [save(project, TEXT.replace("name: d", f"name: d{n}"))[0] for n in range(4)]
    in_threads(4, lambda n: deploy(versions[n], to="production", by=EDITOR))
    assert (Deployment.objects.count(), Environment.objects.count()) == (4, 1)
    assert verify(project) is None
