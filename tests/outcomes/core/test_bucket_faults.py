"""Faults of a bucket: each has a reason, ends as soon as it can and leaves nothing half stored."""

import hashlib
import time
from collections.abc import Iterator

import pytest

from outcomes.core.artifact_store import (
    FrameReader,
    NotHere,
    StoreAway,
    fault_words,
    place_named,
    store_in,
)
from outcomes.core.artifact_store.places import Place
from tests import buckets

pytestmark = pytest.mark.slow
LARGE = hashlib.shake_128(b"seed").digest(12 * 1024 * 1024)
NEVER = "0" * 64
TO_GIVE_UP = 9.0  # seconds, less than the timeout of a retried request


@pytest.fixture
def line() -> Iterator[buckets.Line]:
    with buckets.Line() as line:
        yield line


def reason_of(place: Place) -> str:
    """Reason of the fault, which storing, reading and probing must agree on."""
    reasons = set()
    for attempt in (
        lambda: store_in(place, 1, [b"x"]),
        lambda: place.open(1, NEVER),
        lambda: place.size_of(1, NEVER),
        lambda: list(place.entries()),
        place.try_to_write,
    ):
        with pytest.raises(StoreAway) as raised:
            attempt()
        assert fault_words(raised.value).endswith(f": {raised.value.reason}.")
        reasons.add((raised.value.reason, raised.value.is_setting))
    ((reason, _),) = reasons
    return reason


def test_a_missing_bucket_is_not_a_missing_artifact():
    assert reason_of(place_named(absent())) == "the bucket does not exist"
    for attempt in ("open", "size_of", "mark"):  # each one as the first request
        with pytest.raises(StoreAway) as raised:
            getattr(place_named(absent()), attempt)(*([] if attempt == "mark" else [1, NEVER]))
        assert raised.value.is_setting


def absent() -> str:
    address = buckets.a_bucket()
    return address.replace("bucket-", "absent-")


def test_wrong_credentials_are_reported():
    place = place_named(buckets.a_bucket())
    with buckets.known_keys_only():
        assert reason_of(place) == "access is denied (InvalidAccessKeyId)"


def test_an_unavailable_store_fails_fast_after_the_first_request(line: buckets.Line):
    place = place_named(buckets.a_bucket(line.url))
    name = store_in(place, 1, [b"here"]).sha256
    line.mode = "cut"
    assert reason_of(place) == "it does not answer"
    began = time.monotonic()
    for _ in range(20):
        with pytest.raises(StoreAway):
            place.size_of(1, name)
    assert time.monotonic() - began < TO_GIVE_UP  # the timeout of one request; these are twenty
    line.mode = "open"
    assert eventually(place, name)


@pytest.mark.parametrize(
    "work",
    [
        lambda place: store_in(place, 1, [b"x"]),
        lambda place: list(place.entries(1)),
        lambda place: place.size_of(1, NEVER),
        lambda place: place.try_to_write(),
    ],
    ids=["store", "list", "size", "trial"],
)
def test_each_kind_of_request_detects_that_the_store_is_back(line: buckets.Line, work):
    place = place_named(buckets.a_bucket(line.url))
    line.mode = "cut"
    for _ in range(3):
        with pytest.raises(StoreAway):
            place.size_of(1, NEVER)
    line.mode = "open"
    began = time.monotonic()
    while True:
        try:
            work(place)
        except StoreAway:
            assert time.monotonic() - began < 90
            time.sleep(0.1)
        else:
            break
    assert place.size_of(1, NEVER) is None


def eventually(place: Place, name: str) -> int | None:
    """Try until the pause is over. It doubles up to half a minute."""
    for _ in range(900):
        try:
            return place.size_of(1, name)
        except StoreAway:
            time.sleep(0.1)
    raise AssertionError("The store stayed away.")


def test_a_store_that_does_not_respond_times_out_and_a_probe_earlier(line: buckets.Line):
    place = place_named(buckets.a_bucket(line.url))
    store_in(place, 1, [b"here"])
    line.mode = "silent"
    began = time.monotonic()
    with pytest.raises(StoreAway, match="does not answer"):
        place.try_to_write()
    assert time.monotonic() - began < TO_GIVE_UP
    with pytest.raises(StoreAway, match="does not answer"):
        place.size_of(1, NEVER)
    assert time.monotonic() - began < 60


def test_an_upload_whose_connection_is_cut_leaves_nothing_behind(line: buckets.Line):
    address = buckets.a_bucket(line.url)
    line.bytes_left = 8_000_000
    with pytest.raises(StoreAway):
        store_in(place_named(address), 1, [LARGE])
    assert buckets.keys_in(address) == []


def test_a_read_whose_connection_is_cut_is_a_store_fault(line: buckets.Line):
    place = place_named(buckets.a_bucket(line.url))
    name = store_in(place, 1, [LARGE]).sha256
    with FrameReader(place.open(1, name), name) as reader:
        pieces = reader.bytes_of(0, len(LARGE))
        next(pieces)
        line.mode = "cut"
        with pytest.raises(StoreAway):
            b"".join(pieces)


def test_a_deleted_object_is_missing():
    address = buckets.a_bucket()
    place = place_named(address)
    name = store_in(place, 1, [b"here"]).sha256
    buckets.delete(address, f"artifacts/1/{name[:2]}/{name}")
    with pytest.raises(NotHere) as raised:
        place.open(1, name)
    assert f"The content of the artifact {name} is missing" in fault_words(raised.value)
