"""A backup of a running console, made during ingest, restores the same data."""

import stat
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from edictum_site.stack.running import product
from tests.databases import own_database
from tests.edictum_site.backup.installation import Installation
from tests.journeys.console import KEY
from tests.kill.load import Load, load_of
from tests.kill.posting import Poster
from tests.kill.reading import Address, shown_calls, wait_until_settled
from tests.stored import stored_by

ITEMS = 8_000
CLIENTS = 3


@pytest.fixture
def store() -> Iterator[Mapping[str, str]]:
    with own_database() as variables:
        yield variables


@pytest.fixture
def other_store() -> Iterator[Mapping[str, str]]:
    with own_database() as variables:
        yield variables


@pytest.fixture
def third_store() -> Iterator[Mapping[str, str]]:
    with own_database() as variables:
        yield variables


def test_a_backup_made_under_load_restores_the_same_data(
    store, other_store, third_store, tmp_path: Path
) -> None:
    load = load_of(ITEMS)
    source = Installation(tmp_path / "source", store)
    with product(source.data, {**store, "EDICTUM_SITE_BOOTSTRAP_KEY": KEY}) as running:
        address = address_of(running.url)
        poster = Poster(load.posts, lambda: address, KEY)
        poster.start(CLIENTS)
        first = len(load.posts) // 4
        poster.let(first)
        poster.wait_for(first)
        wait_for_events(source)
        before = set(poster.acknowledged.calls)
        with ThreadPoolExecutor(1) as pool:
            backup = pool.submit(source.done, "backup", str(tmp_path / "busy.tar.zst"))
            for sent in range(first + 1, len(load.posts)):
                poster.let(sent)
                if wait([backup], timeout=0.05).done:
                    break
            backup.result()
        assert len(poster.acknowledged.calls) > len(before)  # posts continued during the backup
        poster.let(len(load.posts))
        poster.wait_for(len(load.posts))
        wait_until_settled(address, KEY)
    assert stat.S_IMODE((tmp_path / "busy.tar.zst").stat().st_mode) == 0o600
    source.done("backup", str(tmp_path / "quiet.tar.zst"))

    busy = Installation(tmp_path / "busy", other_store)
    busy.done("restore", str(tmp_path / "busy.tar.zst"))
    assert_same_events(busy, source)
    assert busy.artifacts().items() <= source.artifacts().items()
    assert_serves(busy, load, before)

    quiet = Installation(tmp_path / "quiet", third_store)
    quiet.done("restore", str(tmp_path / "quiet.tar.zst"))
    assert all_but_hosts(quiet) == all_but_hosts(source)
    assert quiet.artifacts() == source.artifacts()
    assert (quiet.data / "secret-key").read_bytes() == (source.data / "secret-key").read_bytes()


def wait_for_events(source: Installation) -> None:
    """Wait until an event is processed, so that the backup has more than an inbox."""
    until = time.monotonic() + 180
    while not source.query("SELECT 1 FROM outcomes_event LIMIT 1"):
        assert time.monotonic() < until, "nothing is settled"
        time.sleep(0.1)


def all_but_hosts(installation: Installation) -> dict[str, list[str]]:
    """Tables without hosts and leases, which belong to an installation and are not restored."""
    hosts = ("outcomes_host", "outcomes_lease")
    return {name: rows for name, rows in installation.tables().items() if name not in hosts}


def assert_same_events(restored: Installation, source: Installation) -> None:
    """Assert that each restored event equals the one in the source; events never change."""
    rows = {row[0]: row for row in source.query("SELECT * FROM outcomes_event")}
    events = restored.query("SELECT * FROM outcomes_event")
    assert events
    assert [row for row in events if rows[row[0]] != row] == []


def assert_serves(restored: Installation, load: Load, before: set[str]) -> None:
    """Assert that the restored console processes its backlog and has every acknowledged call."""
    with product(restored.data, restored.variables) as running:
        address = address_of(running.url)
        wait_until_settled(address, KEY)
        calls = {each["call_id"]: each for each in shown_calls(address, KEY)}
    assert before - calls.keys() == set()
    wrong = [
        call
        for call, shown in calls.items()
        if shown["type"] and (shown["type"], shown["verdict"]) != right(load, call)
    ]
    assert wrong == []
    stored = stored_by(restored.data, restored.variables)
    assert (stored["waiting"], stored["differences"]) == (0, [])


def right(load: Load, call: str) -> tuple[str, str | None]:
    return load.kinds[call], load.verdicts[call]


def address_of(url: str) -> Address:
    host, _, port = url.removeprefix("http://").partition(":")
    return host, int(port)
