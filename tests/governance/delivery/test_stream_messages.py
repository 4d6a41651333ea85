"""Every change to what agents are served is published after its commit."""

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
def published(django_capture_on_commit_callbacks):
    def published(work, *args, **fields) -> tuple[object, int]:
        with django_capture_on_commit_callbacks() as callbacks:
            result = work(*args, **fields, by=CONSOLE)
        return (result[0] if isinstance(result, tuple) else result), len(callbacks)

    return published


def test_a_deployment_is_published_once_and_repeating_it_is_not(project, published):
    text = TEXT.encode()
    version, news = published(save_version, project, document=text)
    assert news == 0
    assert published(deploy, version, to="production")[1] == 1
    assert published(deploy, version, to="production")[1] == 0


def test_starting_or_ending_an_assignment_or_stop_is_published_once(project, published):
    deployed(project)
    rule = {"bundle_name": "d", "env": "production"}
    assignment, news = published(assign, project, **rule)
    assert (news, published(assign, project, **rule)[1]) == (1, 0)
    assert published(end_assignment, assignment)[1] == 1
    assert published(end_assignment, assignment)[1] == 0
    stop, news = published(stops.stop, project, env="production")
    assert (news, published(stops.stop, project, env="production")[1]) == (1, 0)
    assert published(lift, stop)[1] == 1
    assert published(lift, stop)[1] == 0


def test_a_rotation_is_published_to_every_environment(project, published):
    for name in ("production", "staging"):
        builders.an_environment(project, name)
    assert published(rotate_signing_key, project)[1] == 2
