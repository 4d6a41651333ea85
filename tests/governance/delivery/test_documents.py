"""Renderings of contracts: one per version and format, hashed and signed once."""

from hashlib import sha256

import pytest
import yaml
from django.utils import timezone
from hypothesis import given
from hypothesis import settings as tries
from hypothesis import strategies as st

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.errors import Conflict
from governance.delivery.commands.documents import complete_documents
from governance.delivery.commands.signing import rotate_signing_key
from governance.delivery.queries.documents import retired_signing_keys, served_document
from governance.delivery.queries.governing import Governing
from governance.deployments.commands.deployments import deploy
from governance.models import BundleVersion, Deployment, Rendering, Signature, SigningKey
from governance.texts.dialect import Dialect
from governance.texts.document import read_document
from tests import builders
from tests.governance.serving import IN_OLD_WORDS, RICH, TEXT, deployed, served, verifies
from tests.governance.threads import in_threads

OLD, NEW = Dialect.OLD, Dialect.NEW


@pytest.mark.parametrize(
    ("written", "authored"), [(TEXT, NEW), (IN_OLD_WORDS, OLD)], ids=["new", "old"]
)
def test_each_format_is_served_and_the_authored_one_is_byte_identical(project, written, authored):
    version = deployed(project, written + "\n# é \n")
    assert version.dialect == authored
    for dialect, text in ((NEW, TEXT), (OLD, IN_OLD_WORDS)):
        document = served(project, dialect=dialect)
        assert document.document == (text + "\n# é \n").encode()
        assert document.revision_hash == sha256(document.document).hexdigest()
        assert (document.name, document.bundle_name, document.version) == ("d", "d", 1)
        assert (document.env, document.stopped) == ("production", False)
        assert verifies(document)


def test_both_renderings_parse_to_the_same_rules(project, engine):
    version = deployed(project, RICH)
    texts = {
        each.dialect: bytes(each.document) for each in Rendering.objects.filter(version=version)
    }
    read = {dialect: engine.validate(text) for dialect, text in texts.items()}
    assert {each.errors for each in read.values()} == {()}
    assert read["old"].session_rules == read["new"].session_rules
    assert read["old"].dialect is OLD
    for word in ("Ruleset", "\nrules:", "action: redact", "timeout_action", "outside: ask"):
        assert word not in texts["old"].decode()
    for word in ("'block, ask and rules:", "equals: block", "args.rules", "tags: [ask]", "# ask"):
        assert word in texts["old"].decode()


WORDS = st.sampled_from(["block", "deny", "ask", "rules:", "effect: deny", "é # x", "a: 'b'"])


@st.composite
def rulesets(draw):
    """Valid rulesets in every YAML style."""
    rules = []
    for number in range(draw(st.integers(1, 3))):
        action = draw(st.sampled_from(["block", "ask"]))
        then = {"action": action, "message": draw(WORDS), "tags": [draw(WORDS)]}
        if action == "ask":
            then["timeout_action"] = draw(st.sampled_from(["block", "allow"]))
        when = {"args.action": {"in": [draw(WORDS)]}}
        rules.append({"id": f"r{number}", "type": "pre", "tool": "x", "when": when, "then": then})
    document = {
        "apiVersion": "edictum/v1",
        "kind": "Ruleset",
        "metadata": {"name": "d", "description": draw(WORDS)},
        "defaults": {"mode": "enforce"},
        "rules": rules,
    }
    return yaml.safe_dump(
        document,
        default_style=draw(st.sampled_from([None, "'", '"'])),
        default_flow_style=draw(st.booleans()),
        allow_unicode=draw(st.booleans()),
        sort_keys=draw(st.booleans()),
        width=draw(st.sampled_from([20, 80])),
    )


@tries(max_examples=25, deadline=None)
@given(text=rulesets())
def test_any_valid_contract_is_valid_in_both_formats(engine, text):
    written = read_document(text)
    for dialect in Dialect:
        read = engine.validate(written.text_in(dialect))
        assert (read.errors, read.dialect) == ((), dialect)
    back = read_document(written.twin).twin
    assert yaml.safe_load(back) == yaml.safe_load(text)


def test_an_undeployed_contract_is_not_served(project):
    version = deployed(project)
    assert served(project, env="staging") is None
    assert served(project, "other") is None
    assert served(project, "D") is None
    assert served(project, "\0") is None
    newer, _ = save_version(project, document=(TEXT + "\n").encode(), by=CONSOLE)
    assert served(project).version == version.number
    deploy(newer, to="production", by=CONSOLE)
    assert served(project).version == 2
    deploy(version, to="production", by=CONSOLE)
    assert served(project).version == 1


def test_a_contract_of_another_project_with_the_same_name_is_not_served(project):
    elsewhere = builders.a_project()
    deployed(elsewhere)
    assert served(project) is None
    environment = builders.an_environment(elsewhere)
    assert served_document(project.pk, environment.pk, "d", "bot", NEW) is None


def test_each_project_has_its_own_signing_key(project):
    deployed(project)
    elsewhere = builders.a_project()
    deployed(elsewhere)
    assert served(project).document == served(elsewhere).document
    assert served(project).public_key != served(elsewhere).public_key
    assert served(project).signature != served(elsewhere).signature


def test_redeploying_a_version_does_not_render_or_sign_it_again(project):
    version = deployed(project)
    row = set(Rendering.objects.values_list("pk", flat=True))
    deploy(version, to="staging", by=CONSOLE)
    assert set(Rendering.objects.values_list("pk", flat=True)) == row
    assert Signature.objects.count() == 2
    assert served(project, env="staging").signature == served(project).signature


@pytest.mark.django_db(transaction=True)
def test_concurrent_deployments_to_many_environments_render_a_version_once():
    project = builders.a_project()
    version, _ = save_version(project, document=TEXT.encode(), by=CONSOLE)
    in_threads(5, lambda n: deploy(version, to=f"env-{n}", by=CONSOLE))
    assert (Deployment.objects.count(), Rendering.objects.count()) == (5, 2)
    assert (SigningKey.objects.count(), Signature.objects.count()) == (1, 2)
    assert all(verifies(served(project, env=f"env-{n}")) for n in range(5))


@pytest.mark.django_db(transaction=True)
def test_deployments_during_key_rotations_have_valid_signatures():
    project = builders.a_project()
    versions = [
        save_version(project, document=TEXT.replace("name: d", f"name: d{n}").encode(), by=CONSOLE)[
            0
        ]
        for n in range(3)
    ]

    def work(n):
        if n < 3:
            deploy(versions[n], to="production", by=CONSOLE)
        else:
            rotate_signing_key(project, by=CONSOLE)

    in_threads(6, work)
    assert SigningKey.objects.filter(retired_at=None).count() == 1
    for n in range(3):
        assert verifies(served(project, f"d{n}"))


def test_a_rotation_signs_deployed_versions_again_without_changing_bytes(project):
    deployed(project)
    deployed(project, name="other", env="staging")
    before = served(project)
    key = rotate_signing_key(project, by=CONSOLE)
    after = served(project)
    assert after.public_key == key.public_key != before.public_key
    assert after.document == before.document
    assert after.signature != before.signature
    assert verifies(after)
    assert verifies(served(project, "other", env="staging"))
    assert verifies(served(project, dialect=OLD))
    assert [each.public_key for each in retired_signing_keys(project)] == [before.public_key]


def test_a_changed_secret_key_blocks_deployments_until_the_signing_key_rotates(project, settings):
    deployed(project)
    settings.SECRET_KEY = "another " * 8
    assert verifies(served(project))
    with pytest.raises(Conflict, match="Rotate"):
        deployed(project, name="other")
    assert served(project, "other") is None
    rotate_signing_key(project, by=CONSOLE)
    deployed(project, name="other")
    assert verifies(served(project, "other"))


def test_missing_renderings_of_deployed_versions_are_created(project):
    version, _ = save_version(project, document=TEXT.encode(), by=CONSOLE)
    builders.deployed(version)
    assert served(project) is None
    for _ in range(2):
        complete_documents(project)
    assert verifies(served(project))
    assert Rendering.objects.count() == 2


def test_an_events_version_is_identified_by_the_hash_of_either_rendering(project):
    version = deployed(project)
    other = deployed(project, IN_OLD_WORDS, name="other")
    governing = Governing([])
    for each in (version, other):
        for rendering in Rendering.objects.filter(version=each):
            for policy_version in (rendering.revision_hash, rendering.revision_hash.upper()):
                assert (
                    governing.version_of(project.pk, 0, timezone.now(), policy_version, None)
                    == each.pk
                )
    elsewhere = builders.a_project()
    assert (
        governing.version_of(elsewhere.pk, 0, timezone.now(), version.revision_hash, None) is None
    )
    assert BundleVersion.objects.count() == 2
