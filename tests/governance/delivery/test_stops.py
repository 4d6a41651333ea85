"""Stops: in force at once, no deployment, and lifted without a trace in what is served."""

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
def test_a_stopped_agent_is_served_the_signed_block_all_document_in_its_dialect(project, dialect):
    deployed(project)
    stop(project, "bot")
    document = served(project, dialect=dialect)
    assert (document.stopped, document.document) == (True, STOPPED[dialect])
    assert document.revision_hash == STOPPED_HASHES[dialect]
    assert (document.name, document.version) == ("d", 1)
    assert verifies(document)
    assert not served(project, agent="another", dialect=dialect).stopped


def test_a_stopped_environment_stops_every_agent_there_and_nobody_elsewhere(project):
    version = deployed(project)
    deploy(version, to="staging", by=CONSOLE)
    stop(project)
    assert served(project, agent="bot").stopped
    assert served(project, agent="another").stopped
    assert not served(project, env="staging").stopped


def test_every_request_of_a_stopped_agent_answers_with_the_stop(project):
    builders.an_environment(project)
    stop(project, "bot")
    document = served(project, "unknown")
    assert (document.stopped, document.version) == (True, 1)
    assert served(project, "unknown", agent="another") is None


def test_what_was_deployed_meanwhile_takes_effect_when_the_stop_is_lifted(project):
    deployed(project)
    result = stop(project)
    newer = deployed(project, TEXT + "\n")
    assert served(project).stopped
    lift(result, by=OPERATOR)
    assert (served(project).stopped, served(project).version) == (False, newer.number)
    assert Deployment.objects.count() == 2


def those_that_stand(project):
    return list(Stop.objects.filter(environment__project=project, lifted_at=None).order_by("-id"))


def test_an_agent_is_released_only_when_no_stop_stands_for_it(project):
    deployed(project)
    of_all, of_one = stop(project), stop(project, "bot")
    assert [each.agent for each in those_that_stand(project)] == ["bot", ""]
    lift(of_one, by=OPERATOR)
    assert served(project).stopped
    lift(of_all, by=OPERATOR)
    assert not served(project).stopped
    assert those_that_stand(project) == []


def test_stopping_and_lifting_twice_equals_once_and_is_audited(project):
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


def test_operators_stop_and_viewers_do_not(project):
    builders.an_environment(project)
    with pytest.raises(Forbidden):
        stop(project, by=VIEWER)
    result = stop(project)
    with pytest.raises(Forbidden):
        lift(result, by=VIEWER)
    assert those_that_stand(project) == [result]


def test_a_stop_creates_no_environment_and_accepts_no_invalid_name(project):
    with pytest.raises(NotFound):
        stop(project)
    builders.an_environment(project)
    for agent in ("x" * 129, "\0", "\ud800"):
        with pytest.raises(InvalidInput):
            stop(project, agent)


def test_a_rotation_signs_the_stop_again(project):
    builders.an_environment(project)
    stop(project)
    rotate_signing_key(project, by=CONSOLE)
    assert verifies(served(project))


@pytest.mark.django_db(transaction=True)
def test_stopped_by_several_at_once_it_stops_once():
    project = builders.a_project()
    builders.an_environment(project)
    in_threads(4, lambda _: stop(project, "bot"))
    assert Stop.objects.count() == 1
