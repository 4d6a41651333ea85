"""Hosts of one installation: matching configuration, rejection, status and active scheduler."""

import re
import shutil
import time
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from edictum_site import scheduling
from edictum_site.celery import app
from outcomes.core import broker
from outcomes.core.clock import database_time
from outcomes.hosts import worker_state
from outcomes.hosts.commands import HostRefused, give_up_lease, register, sign_off, take_lease
from outcomes.hosts.domain import SILENT_AFTER, Fingerprint, Seen, mismatch
from outcomes.hosts.fingerprints import artifacts_id, broker_id
from outcomes.hosts.queries import hosts, is_scheduler_up, is_worker_up
from outcomes.models import Host, Lease
from tests.outcomes.core.test_broker import answering  # noqa: F401 - a fixture
from tests.outcomes.posting import Agent

OWN = Fingerprint(secret="s", artifacts="a", broker="b")


@pytest.fixture(autouse=True)
def first_host(settings, tmp_path):
    settings.DATA = tmp_path / "first"
    settings.DATA.mkdir()
    settings.HOST_NAME = "first"
    settings.REDIS_URL = ""
    return settings


@pytest.fixture
def second_host(settings, tmp_path, db):
    """The first host is registered; from here on this process acts as the second."""
    register(["web", "worker"])
    settings.DATA = tmp_path / "second"
    settings.HOST_NAME = "second"
    shutil.copytree(tmp_path / "first" / "artifacts", settings.DATA / "artifacts")
    return settings


def silence(name: str) -> None:
    long_ago = database_time() - timedelta(seconds=SILENT_AFTER + 1)
    Host.objects.filter(name=name).update(heard_at=long_ago)


@pytest.mark.parametrize(
    ("other", "about"),
    [
        (OWN, None),
        (Fingerprint("x", "a", "b"), "secret"),
        (Fingerprint("s", "x", "b"), "artifacts"),
        (Fingerprint("s", "a", "x"), "broker"),
        (Fingerprint("s", "", ""), None),  # a store or Redis that was unavailable does not count
    ],
)
def test_the_first_difference_is_named(other, about):
    difference = mismatch(OWN, [Seen("first", OWN), Seen("second", other)])
    assert (difference.about if difference else None) == about
    assert difference is None or "second" in difference.sentence


def test_a_host_with_the_same_configuration_joins(second_host):
    register(["worker", "jobs"])
    assert {(each.name, each.process) for each in hosts()} == {
        ("first", "web"),
        ("first", "worker"),
        ("second", "jobs"),
        ("second", "worker"),
    }


def test_a_host_with_a_different_secret_key_is_rejected(second_host):
    second_host.SECRET_KEY = "another"
    with pytest.raises(HostRefused) as refused:
        register(["web"])
    assert str(refused.value) == (
        "The secret key differs from that of first:"
        " set EDICTUM_SITE_SECRET_KEY to the same value on every host."
    )
    assert not Host.objects.filter(name="second").exists()


def test_a_host_with_a_different_artifact_folder_is_rejected(second_host):
    shutil.rmtree(second_host.DATA / "artifacts")
    with pytest.raises(CommandError, match="The artifact store differs from that of first"):
        call_command("prepare", host=["web"])


def test_a_silent_host_is_ignored_in_the_comparison(second_host):
    silence("first")
    second_host.SECRET_KEY = "another"
    register(["web"])


def test_a_restarted_host_is_compared_only_with_other_hosts(db, first_host):
    register(["web", "worker"])
    first_host.SECRET_KEY = "changed"
    register(["web", "worker"])
    assert Host.objects.count() == 2


def test_a_host_with_an_older_schema_states_the_command_to_run(db, monkeypatch):
    monkeypatch.setattr("outcomes.health.queries._known", lambda: frozenset({("outcomes", "9")}))
    with pytest.raises(CommandError, match=r"Run `python manage\.py migrate`"):
        call_command("prepare", host=["web"])


def test_the_id_of_an_artifact_folder_is_generated_once(first_host):
    made = artifacts_id()
    assert len(made) == 32
    assert artifacts_id() == made
    shutil.rmtree(first_host.DATA / "artifacts")
    assert artifacts_id() != made


def test_a_bucket_is_identified_by_its_address(first_host):
    first_host.ARTIFACTS = "s3://one/prefix"
    first = artifacts_id()
    assert len(first) == 32
    first_host.ARTIFACTS = "s3://other/prefix"
    assert artifacts_id() != first


def test_an_unavailable_store_has_no_id(first_host, tmp_path):
    (tmp_path / "first" / "artifacts").write_text("in the way")
    assert artifacts_id() == ""


def test_hosts_share_an_id_in_redis_and_get_a_new_one_after_a_flush(first_host, answering):  # noqa: F811
    first = broker_id()
    assert first
    assert broker_id() == first
    answering.flushall()
    assert broker_id() not in ("", first)


def test_without_redis_there_is_no_broker_id():
    assert broker_id() == ""
    assert not broker.is_answering()


def test_a_silent_worker_is_reported_but_a_stopped_one_is_not(db):
    register(["worker"])
    assert is_worker_up()
    silence("first")
    assert not is_worker_up()
    assert hosts()[0].state == "silent"
    sign_off(["worker"])
    assert hosts() == []


def test_a_live_worker_does_not_hide_a_silent_one(second_host):
    register(["worker"])
    silence("first")
    assert is_worker_up()
    states = {(each.name, each.process): each.state.value for each in hosts()}
    assert states["first", "worker"] == "silent"
    assert states["second", "worker"] == "up"


def test_a_host_silent_for_a_day_is_removed(second_host):
    Host.objects.update(heard_at=database_time() - timedelta(days=2))
    register(["web"])
    assert {each.name for each in hosts()} == {"second"}


def test_a_wrong_clock_is_reported(db, monkeypatch, pages):
    ahead = timezone.now() + timedelta(seconds=90)
    monkeypatch.setattr("outcomes.hosts.commands.timezone.now", lambda: ahead)
    register(["web", "worker", "scheduler"])
    take_lease("scheduler", Host.objects.get(process="scheduler").key, seconds=60)
    assert re.search(r"1 min (2\d|30) s ahead", pages.text("settings/hosts/"))


def test_pages_use_the_worker_state_of_the_last_report(db, monkeypatch):
    monkeypatch.setattr(worker_state, "_state", None)
    monkeypatch.setattr(worker_state, "_was_felt", False)
    monkeypatch.setattr(worker_state, "_began", time.monotonic())
    assert (worker_state.is_felt(), worker_state.is_awaited()) == (None, True)
    register(["worker"])
    worker_state.refresh()
    assert (worker_state.is_felt(), worker_state.is_awaited()) == (True, False)
    silence("first")
    worker_state.refresh()
    assert worker_state.is_felt() is False
    monkeypatch.setattr(worker_state, "_state", (time.monotonic() - 60, True))
    assert worker_state.is_felt() is None


def test_a_worker_is_expected_until_its_first_heartbeat_is_due(monkeypatch):
    monkeypatch.setattr(worker_state, "_was_felt", False)
    monkeypatch.setattr(worker_state, "_began", time.monotonic() - worker_state.FIRST_DUE)
    assert not worker_state.is_awaited()


def test_a_lease_has_one_holder_until_it_expires(db):
    assert take_lease("scheduler", "a", seconds=60)
    assert take_lease("scheduler", "a", seconds=60)
    assert not take_lease("scheduler", "b", seconds=60)
    Lease.objects.update(expires_at=database_time() - timedelta(seconds=1))
    assert not is_scheduler_up()
    assert take_lease("scheduler", "b", seconds=60)
    assert not take_lease("scheduler", "a", seconds=60)
    give_up_lease("scheduler", "a")
    assert is_scheduler_up()
    give_up_lease("scheduler", "b")
    assert take_lease("scheduler", "a", seconds=60)


def test_one_of_two_schedulers_sends_and_the_other_takes_over(db, first_host, monkeypatch):
    sent: list[object] = []

    def tick(scheduler: object) -> float:
        sent.append(scheduler)
        return 1.0

    monkeypatch.setattr("celery.beat.Scheduler.tick", tick)
    active = scheduling.LeasedScheduler(app, lazy=True)
    assert active.tick() == 1.0
    first_host.HOST_NAME = "second"
    standby = scheduling.LeasedScheduler(app, lazy=True)
    assert standby.tick() == scheduling.PAUSE
    assert sent == [active]
    Lease.objects.update(expires_at=database_time() - timedelta(seconds=1))
    standby._renew_at = 0.0
    assert standby.tick() == 1.0
    assert sent == [active, standby]


def test_a_scheduler_that_cannot_renew_its_lease_stops_when_it_expires(db, monkeypatch):
    monkeypatch.setattr("celery.beat.Scheduler.tick", lambda self: 1.0)
    held = scheduling.LeasedScheduler(app, lazy=True)
    assert held.tick() == 1.0
    monkeypatch.setattr(held, "_renewed", lambda: False)
    held._renew_at = 0.0
    assert held.tick() == 1.0  # its lease has not expired yet
    held._held_until = 0.0
    held._renew_at = 0.0
    assert held.tick() == scheduling.PAUSE


def test_the_page_lists_hosts_and_its_headline_names_the_worst(second_host, pages):
    assert "No scheduler is active" in pages.text("settings/hosts/")
    register(["scheduler"])
    take_lease("scheduler", Host.objects.get(process="scheduler").key, seconds=60)
    text = pages.text("settings/hosts/")
    assert "2 hosts, 3 processes, all up" in text
    assert "active" in text
    silence("second")
    assert "is silent: scheduler" in pages.text("settings/hosts/")
    Host.objects.all().delete()
    assert "No host has reported yet" in pages.text("settings/hosts/")


def test_health_lists_hosts_for_api_keys_and_only_a_summary_for_others(second_host, agent: Agent):
    body = agent.get("health")
    assert body["worker"] == "up"
    assert body["scheduler"] == "silent"
    assert [(each["name"], each["process"], each["state"]) for each in body["hosts"]] == [
        ("first", "web", "up"),
        ("first", "worker", "up"),
    ]
    strangers = Client().get("/v1/health").json()
    assert strangers["worker"] == "up"
    assert "hosts" not in strangers
