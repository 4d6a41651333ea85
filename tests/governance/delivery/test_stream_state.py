"""Targets of streams: by name, by assignment, or followed by the client."""

from typing import Any

import pytest

from governance.core.actor import CONSOLE
from governance.delivery.commands import assignments, stops
from governance.delivery.commands.assignments import end_assignment
from governance.delivery.commands.stops import lift
from governance.delivery.commands.streams import resolve_targets
from governance.delivery.domain import STOPPED_HASHES
from governance.delivery.news import Place
from governance.delivery.queries.streams import StreamRequest
from governance.models import AnnouncedAssignment, Project
from governance.texts.dialect import Dialect
from tests import builders
from tests.governance.serving import TEXT, deployed


def stream_request(
    project: Project, bundle: str = "", *, env: str = "production", **more: Any
) -> StreamRequest:
    environment = builders.an_environment(project, env)
    fields: dict[str, Any] = {
        "place": Place(project.pk, environment.pk),
        "environment": env,
        "key_id": 1,
        "agent": "bot",
        "bundle": bundle,
        "dialect": "new",
    }
    return StreamRequest(**(fields | more))


def resolved_target(ask: StreamRequest) -> Any:
    return resolve_targets(ask.place, [ask])[0]


def has(ask: StreamRequest) -> tuple[str, int] | None:
    """Name and version of the target's document."""
    result = resolved_target(ask)
    assert result is not None
    return result.document and (result.document.name, result.document.version)


def assign(project: Project, bundle: str, **rule: Any) -> None:
    assignments.assign(project, bundle_name=bundle, env="production", by=CONSOLE, **rule)


@pytest.fixture
def three(project: Project) -> Project:
    for name in ("billing", "safe", "strict"):
        deployed(project, name=name)
    return project


def test_an_agent_gets_the_contract_that_it_names(three):
    assert has(stream_request(three, "billing")) == ("billing", 1)
    deployed(three, TEXT + "\n", name="billing")
    assert has(stream_request(three, "billing")) == ("billing", 2)


def test_an_unknown_contract_is_rejected_and_an_undeployed_one_is_pending(three):
    assert resolved_target(stream_request(three, "unknown")) is None
    deployed(three, name="elsewhere", env="staging")
    assert has(stream_request(three, "elsewhere")) is None
    assert has(stream_request(three, "elsewhere", env="staging")) == ("elsewhere", 1)


def test_a_contract_of_another_project_is_unknown(three):
    deployed(builders.a_project(), name="theirs")
    assert resolved_target(stream_request(three, "theirs")) is None


def test_both_formats_are_renderings_of_one_version(three):
    new, old = (
        resolved_target(stream_request(three, "billing", dialect=each)) for each in ("new", "old")
    )
    assert new.document.document != old.document.document
    assert new.document.version == old.document.version


def test_an_agent_that_names_no_contract_gets_its_assignment_by_name_and_tags(three):
    assign(three, "safe")
    assign(three, "strict", tags={"team": "pay"})
    assert has(stream_request(three)) == ("safe", 1)
    assert has(stream_request(three, tags={"team": "pay", "size": "m"})) == ("strict", 1)
    assert resolved_target(stream_request(three)).by_assignment


def test_without_an_assignment_an_agent_waits(three):
    assert has(stream_request(three)) is None
    assert resolved_target(stream_request(three)).by_assignment


def test_an_assignment_without_a_deployment_is_not_sent(three):
    deployed(three, name="later", env="staging")
    assign(three, "later")
    assert has(stream_request(three)) is None
    assert not AnnouncedAssignment.objects.exists()


def test_an_agent_that_reconnects_gets_its_current_assignment(three):
    assign(three, "safe")
    has(stream_request(three))
    assign(three, "strict")
    assert has(stream_request(three, "safe")) == ("strict", 1)
    assert has(stream_request(three, "strict")) == ("strict", 1)
    assert has(stream_request(three, "safe")) == ("strict", 1)  # it failed to load the new one
    assert AnnouncedAssignment.objects.count() == 2


def test_a_contract_that_an_agent_names_itself_is_not_an_assignment(three):
    assign(three, "safe")
    has(stream_request(three))
    assert has(stream_request(three, "billing")) == ("billing", 1)
    assert has(stream_request(three, "safe", agent="another")) == ("safe", 1)
    assign(three, "strict")
    assert has(stream_request(three, "safe", agent="another")) == ("safe", 1)


def test_an_agent_retains_its_contract_after_its_assignment_ends(three):
    assign(three, "safe")
    has(stream_request(three))
    end_assignment(three.environments.get(name="production").assignments.get(), by=CONSOLE)
    assert has(stream_request(three, "safe")) == ("safe", 1)
    assert has(stream_request(three, "safe", by_assignment=True)) == ("safe", 1)


def test_an_assigned_only_key_cannot_stream_unassigned_contracts(three):
    assign(three, "safe")
    assert has(stream_request(three, assigned_only=True)) == ("safe", 1)
    assert has(stream_request(three, "safe", agent="second", assigned_only=True)) == ("safe", 1)
    assert resolved_target(stream_request(three, "billing", assigned_only=True)) is None
    assign(three, "strict")
    assert has(stream_request(three, "safe", assigned_only=True)) == ("strict", 1)


def test_a_watcher_follows_all_deployed_contracts(three):
    deployed(three, name="elsewhere", env="staging")
    answer = resolved_target(stream_request(three, watches=True))
    assert answer.document is None
    assert [each.name for each in answer.others] == ["billing", "safe", "strict"]
    assign(three, "safe")
    answer = resolved_target(stream_request(three, watches=True))
    assert answer.document.name == "safe"
    assert [each.name for each in answer.others] == ["billing", "strict"]
    assert resolved_target(stream_request(three, watches=True, assigned_only=True)).others == ()


def test_a_stop_overrides_any_requested_contract(three):
    assign(three, "safe")
    stop, _ = stops.stop(three, env="production", agent="bot", by=CONSOLE)
    for ask in (
        stream_request(three, "billing"),
        stream_request(three),
        stream_request(three, "unknown"),
        stream_request(three, "billing", assigned_only=True),
    ):
        assert resolved_target(ask).document.revision_hash == STOPPED_HASHES[Dialect.NEW]
    assert has(stream_request(three, "billing", agent="other")) == ("billing", 1)
    lift(stop, by=CONSOLE)
    assert has(stream_request(three, "billing")) == ("billing", 1)
    assert has(stream_request(three, "billing", assigned_only=True, by_assignment=True)) == (
        "safe",
        1,
    )


def test_a_stop_reaches_agents_without_an_assignment(three):
    assign(three, "safe", agent="second")
    ends = three.environments.get(name="production").assignments.get()
    end_assignment(ends, by=CONSOLE)
    stop, _ = stops.stop(three, env="production", by=CONSOLE)
    for ask in (
        stream_request(three),
        stream_request(three, assigned_only=True),
        stream_request(three, "safe", agent="second", by_assignment=True, assigned_only=True),
    ):
        assert resolved_target(ask).document.revision_hash == STOPPED_HASHES[Dialect.NEW]
    watching = resolved_target(stream_request(three, watches=True, assigned_only=True))
    assert watching.document is None
    assert [each.stopped for each in watching.others] == [True, True, True]
    assert not AnnouncedAssignment.objects.exists()  # a stop is not an assignment
    lift(stop, by=CONSOLE)
    assert has(stream_request(three)) is None


def test_targets_of_2000_agents_are_resolved_in_few_queries(three, django_assert_max_num_queries):
    stops.stop(three, env="production", agent="bot-7", by=CONSOLE)
    assign(three, "safe")
    many = [
        stream_request(three, "" if n % 2 else "billing", agent=f"bot-{n}") for n in range(2_000)
    ]
    # Shared reads, three documents, and one write of the announced assignments.
    with django_assert_max_num_queries(30):
        result: list[Any] = resolve_targets(many[0].place, many)
    assert [each.document.name for each in result[:2]] == ["billing", "safe"]
    assert [n for n, each in enumerate(result) if each.document.stopped] == [7]
    assert AnnouncedAssignment.objects.count() == 1_000
