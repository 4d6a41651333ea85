"""Whatever changes what agents are served is told after its commit, and nothing else is."""

import pytest

from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.delivery.commands import stops
from governance.delivery.commands.assignments import assign, end_assignment
from governance.delivery.commands.signing import rotate_signing_key
from governance.delivery.commands.stops import lift
from governance.deployments.commands.deployments import deploy
from tests import builders
from tests.governance.serving import TEXT, deployed


@pytest.fixture
def told(django_capture_on_commit_callbacks):
    def told(work, *args, **fields) -> tuple[object, int]:
        with django_capture_on_commit_callbacks() as callbacks:
            result = work(*args, **fields, by=CONSOLE)
        return (result[0] if isinstance(result, tuple) else result), len(callbacks)

    return told


def test_a_deployment_is_told_once_and_one_of_what_is_live_never(project, told):
    text = TEXT.encode()
    version, news = told(save_version, project, document=text)
    assert news == 0
    assert told(deploy, version, to="production")[1] == 1
    assert told(deploy, version, to="production")[1] == 0


def test_assignments_stops_and_their_ends_are_told_once(project, told):
    deployed(project)
    rule = {"bundle_name": "d", "env": "production"}
    assignment, news = told(assign, project, **rule)
    assert (news, told(assign, project, **rule)[1]) == (1, 0)
    assert told(end_assignment, assignment)[1] == 1
    assert told(end_assignment, assignment)[1] == 0
    stop, news = told(stops.stop, project, env="production")
    assert (news, told(stops.stop, project, env="production")[1]) == (1, 0)
    assert told(lift, stop)[1] == 1
    assert told(lift, stop)[1] == 0


def test_a_rotation_is_told_to_every_environment(project, told):
    for name in ("production", "staging"):
        builders.an_environment(project, name)
    assert told(rotate_signing_key, project)[1] == 2
