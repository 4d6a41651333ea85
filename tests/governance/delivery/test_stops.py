"""Stops: effective immediately, without a deployment, and fully reversible."""

import pytest

from governance.audit_log import verify
from governance.core.actor import CONSOLE, person
from governance.core.errors import Forbidden, InvalidInput, NotFound
from governance.core.roles import Role
from governance.delivery.commands import stops
from governance.delivery.commands.signing import rotate_signing_key
from governance.delivery.commands.stops import lift
from governance.delivery.domain import STOPPED, STOPPED_HASHES
from governance.deployments.commands.deployments import deploy
from governance.models import AuditEntry, Deployment, Stop
from governance.texts.dialect import Dialect
from tests import builders
from tests.governance.serving import TEXT, deployed, served, verifies
from tests.governance.threads import in_threads

OPERATOR = person(0, "operator@example.test", Role.OPERATOR)
VIEWER = person(0, "viewer@example.test", Role.VIEWER)


def stop(project, agent="", env="production", by=OPERATOR) -> Stop:
    return stops.stop(project, env=env, agent=agent, by=by)[0]


@pytest.mark.parametrize("dialect", list(Dialect))
def test_a_stopped_agent_is_served_the_signed_block_all_document_in_its_format(project, dialect):
    deployed(project)
    stop(project, "bot")
    document = served(project, dialect=dialect)
    assert (document.stopped, document.document) == (True, STOPPED[dialect])
    assert document.revision_hash == STOPPED_HASHES[dialect]
    assert (document.name, document.version) == ("d", 1)
    assert verifies(document)
    assert not served(project, agent="another", dialect=dialect).stopped


def test_an_environment_stop_affects_every_agent_there_and_no_other_environment(project):
    version = deployed(project)
    deploy(version, to="staging", by=CONSOLE)
    stop(project)
    assert served(project, agent="bot").stopped
    assert served(project, agent="another").stopped
    assert not served(project, env="staging").stopped


def test_a_stopped_agent_receives_the_stop_for_any_contract_name(project):
    builders.an_environment(project)
    stop(project, "bot")
    document = served(project, "unknown")
    assert (document.stopped, document.version) == (True, 1)
    assert served(project, "unknown", agent="another") is None


def test_a_version_deployed_during_a_stop_is_served_once_it_is_lifted(project):
    deployed(project)
    result = stop(project)
    newer = deployed(project, TEXT + "\n")
    assert served(project).stopped
    lift(result, by=OPERATOR)
    assert (served(project).stopped, served(project).version) == (False, newer.number)
    assert Deployment.objects.count() == 2


def those_that_stand(project):
    return list(Stop.objects.filter(environment__project=project, lifted_at=None).order_by("-id"))


def test_an_agent_is_released_only_when_every_stop_on_it_is_lifted(project):
    deployed(project)
    of_all, of_one = stop(project), stop(project, "bot")
    assert [each.agent for each in those_that_stand(project)] == ["bot", ""]
    lift(of_one, by=OPERATOR)
    assert served(project).stopped
    lift(of_all, by=OPERATOR)
    assert not served(project).stopped
    assert those_that_stand(project) == []


def test_stopping_and_lifting_are_idempotent_and_audited(project):
    builders.an_environment(project)
    first, is_new = stops.stop(project, env="production", agent="bot", by=OPERATOR)
    again, is_new_again = stops.stop(project, env="production", agent="bot", by=OPERATOR)
    assert (first.pk, is_new, is_new_again) == (again.pk, True, False)
    for _ in range(2):
        lifted = lift(first, by=OPERATOR)
    assert lifted.lifted_by == "person:operator@example.test"
    calls = [(entry.action, entry.subject) for entry in AuditEntry.objects.order_by("number")]
    assert calls == [
        ("agent stopped", "bot in production"),
        ("agent released", "bot in production"),
    ]
    assert verify(project) is None
    assert stops.stop(project, env="production", agent="bot", by=OPERATOR)[1]


def test_operators_can_stop_agents_and_viewers_cannot(project):
    builders.an_environment(project)
    with pytest.raises(Forbidden):
        stop(project, by=VIEWER)
    result = stop(project)
    with pytest.raises(Forbidden):
        lift(result, by=VIEWER)
    assert those_that_stand(project) == [result]


def test_a_stop_rejects_unknown_environments_and_invalid_agent_names(project):
    with pytest.raises(NotFound):
        stop(project)
    builders.an_environment(project)
    for agent in ("x" * 129, "\0", "\ud800"):
        with pytest.raises(InvalidInput):
            stop(project, agent)


def test_rotating_the_signing_key_signs_the_stop_again(project):
    builders.an_environment(project)
    stop(project)
    rotate_signing_key(project, by=CONSOLE)
    assert verifies(served(project))


@pytest.mark.django_db(transaction=True)
def test_concurrent_stops_create_one():
    project = builders.a_project()
    builders.an_environment(project)
    in_threads(4, lambda _: stop(project, "bot"))
    assert Stop.objects.count() == 1
