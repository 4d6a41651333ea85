"""The S3 permissions listed in docs/artifacts.md are sufficient, and each of them is necessary."""

import hashlib
import re
from pathlib import Path

import pytest

from outcomes.core.artifact_store import FrameReader, StoreAway, store_in
from outcomes.core.artifact_store.addresses import place_at
from outcomes.core.artifact_store.places import Place
from tests import buckets

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
LARGE = hashlib.shake_128(b"seed").digest(6 * 1024 * 1024)
OTHER_RIGHT = "s3:GetBucketAcl"


def rights_for(address: str) -> str:
    """The policy from the docs, for this bucket."""
    match = re.search(r"```json\n(.*?)```", (ROOT / "docs/artifacts.md").read_text(), re.DOTALL)
    assert match is not None
    bucket = address.removeprefix("s3://").partition("/")[0]
    policy = match[1].replace("bucket/prefix", f"{bucket}/artifacts")
    return policy.replace(':::bucket"', f':::{bucket}"')


def do_everything(place: Place) -> None:
    place.try_to_write()
    place.set_mark("mark")
    assert place.mark() == "mark"
    for content in (b"small", LARGE):
        name = store_in(place, 1, [content]).sha256
        with FrameReader(place.open(1, name), name) as reader:
            assert b"".join(reader.bytes_of(0, len(content))) == content
        assert place.size_of(1, name)
    assert place.size_of(1, "0" * 64) is None
    assert len(list(place.entries())) == 2
    place.remove(1, name)


def test_the_documented_permissions_are_sufficient(tmp_path):
    address = buckets.a_bucket()
    keys = buckets.keys_of_user(rights_for(address))
    with buckets.known_keys_only():
        do_everything(place_at(address, spool=tmp_path, secrets=keys))


# The permission to abort an upload is needed only if one fails.
@pytest.mark.parametrize("right", ["ListBucket", "GetObject", "PutObject", "DeleteObject"])
def test_access_is_denied_without_any_one_of_the_permissions(tmp_path, right):
    address = buckets.a_bucket()
    policy = rights_for(address)
    assert f'"s3:{right}"' in policy
    keys = buckets.keys_of_user(policy.replace(f"s3:{right}", OTHER_RIGHT))
    with buckets.known_keys_only(), pytest.raises(StoreAway) as raised:
        do_everything(place_at(address, spool=tmp_path, secrets=keys))
    assert raised.value.reason == "access is denied (AccessDenied)"
    assert raised.value.is_setting
