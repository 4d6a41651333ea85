"""A batch that cannot be processed stores its error, is set aside after some tries without delaying
others, and can be retried by an operator."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from governance.core.actor import person
from governance.core.errors import NotFound
from governance.core.roles import Role
from governance.models import AuditEntry
from governance.people.policies import RoleNeeded
from outcomes.ingest.commands.batches import retry_batch
from outcomes.jobs.queries import is_settled, newest_batch
from outcomes.models import Batch, Call
from outcomes.models.inbox import TRIES
from outcomes.record import codec
from outcomes.settling import settle as settling_settle
from outcomes.settling.settle import settle_inbox
from tests.builders import an_outcome
from tests.outcomes.posting import Agent, settle

OPERATOR = person(1, "operator@example.test", Role.OPERATOR)


def spoil(batch: int, body: bytes = b"rubbish") -> bytes:
    row = Batch.objects.get(pk=batch)
    stored, row.body = bytes(row.body), body
    row.save()
    return stored


def post(agent: Agent, *names: str) -> int:
    body = json.dumps({"outcomes": [an_outcome(name) for name in names]}).encode()
    return int(agent.door(body)["batch"])


def let_time_pass() -> None:
    Batch.objects.update(next_try_at=timezone.now() - timedelta(seconds=1))


def try_until_set_aside() -> None:
    for _ in range(TRIES):
        settle()
        let_time_pass()
    settle()


@pytest.mark.parametrize(
    "body",
    [b"rubbish", codec.pack_batch([b"7"]), codec.pack_batch([b'{"type": "success"}'])],
    ids=["no batch", "no item", "an item of no type"],
)
def test_an_invalid_batch_is_set_aside_and_its_neighbors_are_processed(agent: Agent, body):
    post(agent, "before")
    poisoned = post(agent, "lost", "lost too")
    post(agent, "after")
    spoil(poisoned, body)
    try_until_set_aside()
    row = Batch.objects.get()
    assert (row.pk, row.tries) == (poisoned, TRIES)
    assert row.set_aside_at is not None
    assert row.error
    assert set(Call.objects.values_list("call_id", flat=True)) == {"before", "after"}


def test_neighbors_of_an_invalid_batch_are_processed_at_the_first_try(agent: Agent):
    spoil(post(agent, "poisoned"))
    post(agent, "good")
    settle()
    assert agent.outcome("good")["call_id"] == "good"
    assert Batch.objects.get().tries == 1


def test_a_failed_batch_waits_before_its_next_try(agent: Agent):
    spoil(post(agent, "poisoned"))
    settle()
    assert settle_inbox() == 0
    assert Batch.objects.get().tries == 1


def test_a_failed_batch_does_not_delay_waiting_readers(project, agent: Agent):
    spoil(post(agent, "poisoned"))
    try_until_set_aside()
    assert is_settled(project.pk, newest_batch(project.pk))
    assert agent.get("outcomes", wait=1)["settled"] is True
    assert agent.get("health")["backlog"]["set_aside"] == 1


def test_a_retried_batch_is_processed_and_audited(project, agent: Agent):
    batch = post(agent, "late")
    body = spoil(batch)
    try_until_set_aside()
    Batch.objects.update(body=body)
    retry_batch(project.pk, batch, by=OPERATOR)
    settle()
    assert agent.outcome("late")["call_id"] == "late"
    assert not Batch.objects.exists()
    assert AuditEntry.objects.filter(action="retried a batch", subject=f"batch {batch}").exists()


def test_a_retry_requires_an_operator_and_a_failed_batch(project, agent: Agent):
    batch = post(agent, "waiting")
    with pytest.raises(NotFound):
        retry_batch(project.pk, batch, by=OPERATOR)
    with pytest.raises(RoleNeeded):
        retry_batch(project.pk, batch, by=person(1, "v@example.test", Role.VIEWER))


def test_a_claim_that_fails_halfway_stores_nothing(agent: Agent, monkeypatch):
    post(agent, "a", "b")
    broken = RuntimeError("the disk is full")

    def fail(*_: object, **__: object) -> None:
        raise broken

    with monkeypatch.context() as patched:
        patched.setattr("outcomes.settling.write.count", fail)
        settle_inbox()
    assert not Call.objects.exists()
    assert "the disk is full" in Batch.objects.get().error
    let_time_pass()
    settle()
    assert Call.objects.count() == 2


def test_processing_an_empty_inbox_does_nothing(db):
    assert settling_settle.settle_inbox() == 0
