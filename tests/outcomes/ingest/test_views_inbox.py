"""Pages of invalid events and failed batches."""

import pytest
from django.utils import timezone

from governance.core.roles import Role
from outcomes.models import Batch, RejectedItem
from tests import builders
from tests.outcomes.pages import Pages, an_item, text_of
from tests.outcomes.posting import settle

QUERIES = 12


def test_pages_without_problems_have_an_empty_state(pages):
    assert "No invalid events" in pages.text("settings/invalid-events/")
    assert "No failed batches" in pages.text("settings/failed-batches/")


def test_an_invalid_event_is_listed_with_its_reason_and_beginning(pages, agent):
    agent.post(an_item(), {"type": "nonsense", "call_id": "<b>c</b>"}, {"type": "denied"})
    response = pages.get("settings/invalid-events/")
    text = text_of(response)
    assert "2 invalid events, the newest with" in text
    assert "unknown_type" in text
    assert '{"type": "nonsense", "call_id": "<b>c</b>"}' in text
    assert b"<b>c</b>" not in response.content
    assert "2 of 2, newest first" in text


def test_bytes_that_are_not_utf_8_are_displayed_with_replacement_characters(project, pages):
    RejectedItem.objects.create(
        project=project,
        environment=builders.an_environment(project),
        source="events",
        index=7,
        code="not_utf8",
        detail="no text",
        excerpt=b'{"a": "\xff\xfe\x00"}',
        received_at=timezone.now(),
    )
    text = pages.text("settings/invalid-events/")
    assert "1 invalid event, the newest with not_utf8" in text
    assert "not_utf8" in text
    assert "\N{REPLACEMENT CHARACTER}" in text


def test_invalid_events_are_paginated(project, pages, django_assert_max_num_queries):
    environment = builders.an_environment(project)
    RejectedItem.objects.bulk_create(
        RejectedItem(
            project=project, environment=environment, source="outcomes", index=n, code=f"code-{n}",
            detail="", excerpt=b"", received_at=timezone.now(),
        )
        for n in range(300)
    )  # fmt: skip
    with django_assert_max_num_queries(QUERIES):
        text = pages.text("settings/invalid-events/")
    assert "50 of 300, newest first" in text
    assert "code-299" in text
    older = pages.links("settings/invalid-events/")["next"].removeprefix(f"{pages.base}/")
    assert "code-249" in pages.text(older)
    assert "code-250" not in pages.text(older)


def a_failed_batch(agent) -> Batch:
    agent.door(
        b'{"outcomes": [{"type": "denied", "call_id": "c", "tool_name": "t", "reason": "r"}]}'
    )
    batch = Batch.objects.get()
    batch.tries, batch.error, batch.set_aside_at = 3, "ValueError: odd", timezone.now()
    batch.save()
    return batch


def test_a_viewer_sees_failed_batches_but_cannot_retry_them(pages, agent):
    batch = a_failed_batch(agent)
    text = pages.text("settings/failed-batches/")
    assert "1 failed batch, not included in any numbers" in text
    assert "ValueError: odd" in text
    assert "Retry" not in text
    assert "You need the operator role to retry a batch." in text
    retried = pages.client.post(f"{pages.base}/settings/failed-batches/{batch.pk}/retry/")
    assert retried.status_code == 403


def test_an_operator_can_retry_a_failed_batch(project, agent, client_as):
    batch = a_failed_batch(agent)
    operator = Pages(client_as(Role.OPERATOR), project.slug)
    assert "Retry" in operator.text("settings/failed-batches/")
    retried = operator.client.post(
        f"{operator.base}/settings/failed-batches/{batch.pk}/retry/", follow=True
    )
    assert f"Batch {batch.pk:,} is queued again." in text_of(retried)
    settle()
    assert agent.outcome("c")["type"] == "denied"


def test_a_batch_that_has_not_failed_cannot_be_retried(project, agent, client_as):
    agent.door(
        b'{"outcomes": [{"type": "denied", "call_id": "c", "tool_name": "t", "reason": "r"}]}'
    )
    client = client_as(Role.OPERATOR)
    number = Batch.objects.get().pk
    retry = f"/p/{project.slug}/settings/failed-batches/{number}/retry/"
    assert client.post(retry).status_code == 404


def test_the_page_counts_queued_events_and_batches(pages, agent):
    agent.door(
        b'{"outcomes": [{"type": "denied", "call_id": "c", "tool_name": "t", "reason": "r"}]}'
    )
    assert "Queued: 1 event in 1 batch, the oldest for" in pages.text("settings/failed-batches/")


@pytest.mark.parametrize("batches", [1, 300])
def test_the_number_of_queries_does_not_depend_on_the_number_of_failed_batches(
    project, pages, batches, django_assert_max_num_queries
):
    environment, now = builders.an_environment(project), timezone.now()
    Batch.objects.bulk_create(
        Batch(
            project=project, environment=environment, source="outcomes", items=1, body=b"",
            received_at=now, set_aside_at=now, tries=3, error="odd",
        )
        for _ in range(batches)
    )  # fmt: skip
    with django_assert_max_num_queries(QUERIES):
        assert pages.get("settings/failed-batches/").status_code == 200
