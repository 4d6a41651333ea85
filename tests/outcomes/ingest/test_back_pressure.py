"""A full inbox rejects posts with a retry hint, SDK events last."""

import json
import threading
import time
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from governance.alerts.queries import open_alerts
from governance.models import Project
from outcomes.artifacts.commands.faults import find_faults
from outcomes.core.cached import Cached
from outcomes.ingest.commands import back_pressure
from outcomes.ingest.domain import Post
from outcomes.ingest.queries.capacity import held_by_inbox
from outcomes.models import Batch
from tests.builders import an_outcome
from tests.items import an_event
from tests.outcomes.pages import Pages
from tests.outcomes.posting import Agent, settle


def post(agent: Agent, to: str = "outcomes") -> int:
    back_pressure.forget()
    items = [an_outcome() if to == "outcomes" else an_event()]
    return _status(agent.send(to, json.dumps({to: items}).encode()))


def upload(agent: Agent) -> int:
    back_pressure.forget()
    return _status(agent.client.post("/v1/artifacts", b"bytes", content_type="text/plain"))


def _status(response) -> int:
    if response.status_code == 503:
        assert response.json()["code"] == "inbox_full"
        assert response.headers["Retry-After"] == "10"
    return int(response.status_code)


@pytest.fixture
def waiting(agent: Agent) -> Agent:
    """An agent with one queued post."""
    assert post(agent) == 202
    return agent


def test_a_full_inbox_rejects_outcomes_and_artifacts(waiting: Agent, settings):
    settings.INBOX_BYTES = held_by_inbox().size
    assert (post(waiting), upload(waiting)) == (503, 503)
    settings.INBOX_BYTES += 1
    assert (upload(waiting), post(waiting)) == (201, 202)


def test_events_are_rejected_last(waiting: Agent, settings):
    settings.INBOX_BYTES = held_by_inbox().size
    assert post(waiting) == 503
    assert post(waiting, "events") == 202
    settings.INBOX_BYTES = 1
    assert (post(waiting, "events"), post(waiting, "audit/ingest")) == (503, 503)


def test_an_inbox_with_old_batches_rejects_posts(waiting: Agent, settings):
    settings.INBOX_AGE = 60
    Batch.objects.update(received_at=timezone.now() - timedelta(seconds=90))
    assert (post(waiting), post(waiting, "events")) == (503, 202)
    Batch.objects.update(received_at=timezone.now() - timedelta(seconds=150))
    assert post(waiting, "events") == 503


def test_batches_delayed_by_a_fault_are_ignored_in_the_age_limit(waiting: Agent, settings):
    settings.INBOX_AGE = 60
    long_ago = timezone.now() - timedelta(hours=1)
    Batch.objects.update(received_at=long_ago, next_try_at=timezone.now(), fault="missing")
    assert post(waiting) == 202


def test_a_failed_batch_does_not_count_toward_the_inbox_size(waiting: Agent, settings):
    settings.INBOX_BYTES = 1
    Batch.objects.update(set_aside_at=timezone.now())
    assert post(waiting) == 202


def test_posts_are_rejected_when_the_disk_reserve_is_reached(agent: Agent, settings):
    settings.DISK_RESERVE = 2**60
    assert (post(agent), upload(agent), post(agent, "events")) == (503, 503, 503)
    settings.DISK_RESERVE = 0
    assert (post(agent), upload(agent), post(agent, "events")) == (202, 201, 202)


def test_a_limit_of_zero_disables_it(waiting: Agent, settings):
    settings.INBOX_BYTES = settings.INBOX_AGE = 0
    Batch.objects.update(received_at=timezone.now() - timedelta(days=9))
    assert post(waiting) == 202


def kinds(project: Project) -> list[str]:
    return [each.kind for each in open_alerts(project)]


def test_rejected_posts_open_an_alert_until_there_is_room(project, waiting: Agent, settings):
    settings.INBOX_BYTES = 1
    assert post(waiting) == 503
    assert kinds(project) == ["inbox_full"]
    find_faults()
    assert kinds(project) == ["inbox_full"]
    settle()
    back_pressure.forget()
    find_faults()
    assert kinds(project) == []


def test_pages_say_that_posts_are_rejected(waiting: Agent, pages: Pages, settings):
    settings.INBOX_BYTES = 1
    back_pressure.forget()
    text = pages.text("settings/failed-batches/")
    assert "Posts are rejected with 503. The inbox is full" in text
    assert "Events are rejected · The inbox is full" in pages.text("sessions/")
    settle()
    back_pressure.forget()
    assert "Posts are rejected" not in pages.text("settings/failed-batches/")


def test_a_post_uses_cached_inbox_figures(waiting: Agent, django_assert_num_queries):
    body = json.dumps({"events": [an_event()]}).encode()
    waiting.send("events", body)
    with django_assert_num_queries(0):
        assert back_pressure.why_refused(Post.EVENTS) == ""


def counting() -> tuple[list[int], Callable[[], int]]:
    listed: list[int] = []

    def ask() -> int:
        listed.append(len(listed))
        return listed[-1]

    return listed, ask


def test_a_fresh_value_is_not_recomputed():
    request, ask = counting()
    cached = Cached(ask, seconds=3600)
    assert [cached.get() for _ in range(3)] == [0, 0, 0]
    cached.forget()
    assert cached.get() == 1
    assert request == [0, 1]


def test_an_expensive_value_is_cached_longer_only_with_a_cost_factor():
    request, count = counting()

    def ask() -> int:
        time.sleep(0.01)
        return count()

    soon, costly = Cached(ask, seconds=0), Cached(ask, seconds=0, cost=1_000_000)
    assert [soon.get(), soon.get()] == [0, 1]
    assert [costly.get(), costly.get()] == [2, 2]
    assert request == [0, 1, 2]


def test_callers_get_the_last_value_while_another_recomputes_it():
    asking, go_on = threading.Event(), threading.Event()
    answers = iter(["old", "new"])

    def ask() -> str:
        answer = next(answers)
        if answer == "new":
            asking.set()
            go_on.wait(60)
        return answer

    cached = Cached(ask, seconds=0)
    cached.get()
    one = threading.Thread(target=cached.get)
    one.start()
    asking.wait(60)
    assert cached.get() == "old"
    assert cached.overdue > 0
    go_on.set()
    one.join(60)
    assert cached.overdue == 0


def test_a_failed_computation_is_retried():
    numbers = iter([0, 1])

    def ask() -> float:
        return 1 / next(numbers)

    cached = Cached(ask, seconds=3600)
    with pytest.raises(ZeroDivisionError):
        cached.get()
    assert cached.get() == 1
