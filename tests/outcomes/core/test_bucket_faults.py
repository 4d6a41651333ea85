"""Faults of a bucket: each has its reason, none lasts longer than it must, and nothing stays half
stored.
"""

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
TO_GIVE_UP = 9.0  # seconds, less than a request has that is tried again


@pytest.fixture
def line() -> Iterator[buckets.Line]:
    with buckets.Line() as line:
        yield line


def reason_of(place: Place) -> str:
    """The reason that storing, reading and trying agree on."""
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
    for attempt in ("open", "size_of", "mark"):  # each as the first request
        with pytest.raises(StoreAway) as raised:
            getattr(place_named(absent()), attempt)(*([] if attempt == "mark" else [1, NEVER]))
        assert raised.value.is_setting


def absent() -> str:
    address = buckets.a_bucket()
    return address.replace("bucket-", "absent-")


def test_wrong_credentials_are_named():
    place = place_named(buckets.a_bucket())
    with buckets.known_keys_only():
        assert reason_of(place) == "access is denied (InvalidAccessKeyId)"


def test_a_store_that_is_gone_fails_at_once_after_the_first_time(line: buckets.Line):
    place = place_named(buckets.a_bucket(line.url))
    name = store_in(place, 1, [b"here"]).sha256
    line.mode = "cut"
    assert reason_of(place) == "it does not answer"
    began = time.monotonic()
    for _ in range(20):
        with pytest.raises(StoreAway):
            place.size_of(1, name)
    assert time.monotonic() - began < TO_GIVE_UP  # of one request, and these are twenty
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
def test_each_kind_of_request_finds_out_that_the_store_is_back(line: buckets.Line, work):
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
    """As soon as the pause is over, which doubles up to half a minute."""
    for _ in range(900):
        try:
            return place.size_of(1, name)
        except StoreAway:
            time.sleep(0.1)
    raise AssertionError("The store stayed away.")


def test_a_silent_store_is_given_up_and_a_trial_sooner(line: buckets.Line):
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


def test_an_upload_whose_connection_is_cut_leaves_nothing(line: buckets.Line):
    address = buckets.a_bucket(line.url)
    line.bytes_left = 8_000_000
    with pytest.raises(StoreAway):
        store_in(place_named(address), 1, [LARGE])
    assert buckets.keys_in(address) == []


def test_a_read_whose_connection_is_cut_is_a_fault_of_the_place(line: buckets.Line):
    place = place_named(buckets.a_bucket(line.url))
    name = store_in(place, 1, [LARGE]).sha256
    with FrameReader(place.open(1, name), name) as reader:
        pieces = reader.bytes_of(0, len(LARGE))
        next(pieces)
        line.mode = "cut"
        with pytest.raises(StoreAway):
            b"".join(pieces)


def test_an_object_that_was_deleted_is_missing():
    address = buckets.a_bucket()
    place = place_named(address)
    name = store_in(place, 1, [b"here"]).sha256
    buckets.delete(address, f"artifacts/1/{name[:2]}/{name}")
    with pytest.raises(NotHere) as raised:
        place.open(1, name)
    assert f"The content of the artifact {name} is missing" in fault_words(raised.value)
