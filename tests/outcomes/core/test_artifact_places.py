"""Both kinds of artifact store, folder and bucket, behave the same."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from outcomes.core.artifact_store import (
    FrameReader,
    NotHere,
    NotStored,
    Part,
    place_named,
    store_in,
)
from outcomes.core.artifact_store.frames import MAGIC
from outcomes.core.artifact_store.places import Place
from tests import buckets

LINES = b"".join(b"line %d\n" % number for number in range(1, 100_001))  # several frames
LARGE = hashlib.shake_128(b"seed").digest(12 * 1024 * 1024)  # several parts of an upload
NEVER = "0" * 64


@pytest.fixture(params=["folder", pytest.param("bucket", marks=pytest.mark.slow)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    is_bucket = request.param == "bucket"
    return buckets.a_bucket() if is_bucket else (tmp_path / "store").as_uri()


@pytest.fixture
def place(address: str) -> Place:
    return place_named(address)


def content_of(place: Place, project: int, name: str) -> bytes:
    with FrameReader(place.open(project, name), name) as reader:
        return b"".join(reader.bytes_of(0, reader.size_bytes))


def spoil(address: str, project: int, name: str, content: bytes) -> None:
    key = f"{project}/{name[:2]}/{name}"
    if address.startswith("file://"):
        (Path(address.removeprefix("file://")) / key).write_bytes(content)
    else:
        buckets.overwrite(address, f"artifacts/{key}", content)


def stored_in(address: str) -> list[str]:
    """Everything in the store, including objects that it does not list itself."""
    if address.startswith("file://"):
        folder = Path(address.removeprefix("file://"))
        return [str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()]
    return buckets.keys_in(address)


@pytest.mark.parametrize("content", [b"", b"x", LINES, LARGE], ids=["empty", "x", "lines", "large"])
def test_content_is_stored_under_its_hash_and_read_back(place: Place, content: bytes):
    stored = store_in(place, 1, [content[:70_000], content[70_000:]])
    assert stored.sha256 == hashlib.sha256(content).hexdigest()
    assert stored.size_bytes == len(content)
    assert content_of(place, 1, stored.sha256) == content


@pytest.mark.parametrize(
    ("start", "stop"), [(0, 5), (262_140, 262_151), (600_000, 600_001), (0, 10**9), (5, 5)]
)
def test_a_byte_range_can_be_read(place: Place, start: int, stop: int):
    name = store_in(place, 1, [LINES]).sha256
    with FrameReader(place.open(1, name), name) as reader:
        assert b"".join(reader.bytes_of(start, stop)) == LINES[start:stop]


def test_the_index_locates_lines(place: Place):
    name = store_in(place, 1, [LINES]).sha256
    with FrameReader(place.open(1, name), name) as reader:
        start, stop = reader.place_of_lines(50_000, 50_001)
        assert LINES[start:stop] == b"line 50000\nline 50001\n"
        assert (reader.lines, reader.line_at(start)) == (100_000, 50_000)


def test_a_part_can_be_read_like_a_file(place: Place):
    name = store_in(place, 1, [LARGE]).sha256
    part = Part(FrameReader(place.open(1, name), name), 1_000_000, 9_000_000)
    pieces = iter(lambda: part.read(300_000), b"")
    assert b"".join(pieces) == LARGE[1_000_000:9_000_000]
    part.close()


def test_projects_are_isolated(place: Place):
    name = store_in(place, 1, [b"theirs"]).sha256
    assert place.size_of(2, name) is None
    with pytest.raises(NotHere):
        place.open(2, name)


def test_missing_content_is_reported_as_missing(place: Place):
    assert place.size_of(1, NEVER) is None
    place.remove(1, NEVER)
    with pytest.raises(NotHere):
        place.open(1, NEVER)


@pytest.mark.parametrize("name", ["../../secret", "A" * 64, ""])
def test_an_invalid_hash_is_rejected_without_a_lookup(place: Place, name: str):
    for method in (place.open, place.size_of, place.remove):
        with pytest.raises(NotStored):
            method(1, name)


def test_removed_content_is_no_longer_listed(place: Place):
    name = store_in(place, 1, [b"once"]).sha256
    place.remove(1, name)
    assert place.size_of(1, name) is None
    assert list(place.entries()) == []


def test_entries_can_be_listed_by_project_and_prefix(place: Place):
    names = {store_in(place, 1, [b"%d" % number]).sha256 for number in range(20)}
    other = store_in(place, 12, [b"other"]).sha256
    first = min(names)
    listed = {entry.sha256: entry for entry in place.entries(1)}
    assert listed.keys() == names
    assert listed[first].stored_bytes == place.size_of(1, first)
    assert listed[first].stored_at.tzinfo is not None
    assert [entry.sha256 for entry in place.entries(1, first[:2])] == [
        name for name in sorted(names) if name.startswith(first[:2])
    ]
    assert [(entry.project_id, entry.sha256) for entry in place.entries(12)] == [(12, other)]
    assert place.project_ids() == [1, 12]
    assert len(list(place.entries())) == 21


def test_a_failed_upload_leaves_nothing_behind(place: Place, address: str):
    def cut() -> Iterator[bytes]:
        yield LARGE[:7_000_000]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        store_in(place, 1, cut())
    assert stored_in(address) == []


@pytest.mark.parametrize("content", [b"", b"cut", b"\xff" * 100, b"\xff" * 24 + MAGIC])
def test_a_corrupt_file_is_not_a_store_outage(place: Place, address: str, content: bytes):
    name = store_in(place, 1, [LINES]).sha256
    spoil(address, 1, name, content)
    with pytest.raises(NotStored) as raised:
        FrameReader(place.open(1, name), name)
    assert not isinstance(raised.value, OSError)


def test_storing_the_same_content_again_repairs_a_corrupt_file(place: Place, address: str):
    name = store_in(place, 1, [LINES]).sha256
    spoil(address, 1, name, b"cut")
    store_in(place, 1, [LINES])
    assert content_of(place, 1, name) == LINES


def test_a_write_probe_leaves_no_artifact(place: Place):
    place.try_to_write()
    assert list(place.entries()) == []


def test_the_mark_of_a_store_can_be_set_and_read(place: Place):
    assert place.mark() == ""
    place.set_mark("0123abc")
    assert place.mark() == "0123abc"
    assert list(place.entries()) == []


def test_drafts_of_active_uploads_are_not_removed(place: Place):
    store_in(place, 1, [b"x"])
    assert place.remove_drafts(older_than=timedelta()) == 0
