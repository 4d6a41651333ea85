"""Masking before storage: what is masked, what a mask contains, and what is unchanged."""

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governance.core.json_value import Json
from governance.core.masks.detectors import Detector
from governance.core.masks.marks import MARK, has_mark, is_mark, length_class, without_fingerprints
from governance.core.masks.stored import OwnPattern, StoredMasking

BADGE = OwnPattern("badge", lambda text: "BADGE-" in text, inside=True)
PIN = OwnPattern("four", lambda text: len(text) == 4 and text.isdigit(), inside=False)
MASKING = StoredMasking(b"k" * 32, Detector, [BADGE, PIN])
IBAN = "DE89 3704 0044 0532 0130 00"


def stored(value: Json) -> Any:
    return MASKING.value(value, Counter())


@pytest.mark.parametrize(
    ("text", "detector"),
    [
        ("sk-abcdefghij0123456789", "tokens"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "jwts"),
        ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----", "private-keys"),
        ("4111 1111 1111 1111", "cards"),
        ("ada@example.org", "e-mails"),
        (IBAN, "ibans"),
        ("BADGE-123", "own-badge"),
    ],
)
def test_each_detector_masks_its_format_inside_a_text(text, detector):
    counts = Counter[str]()
    result = MASKING.text(f"use {text} here", counts)
    assert text not in result
    assert result.startswith("use [masked:")
    assert result.endswith("] here")
    assert counts == {detector: 1}


def test_a_mask_contains_detector_type_length_class_and_fingerprint():
    first, again, other = stored(["sk-" + "a" * 20, "sk-" + "a" * 20, "sk-" + "b" * 20])
    assert first == again != other
    assert MARK.fullmatch(first)
    assert first.startswith("[masked:tokens:text:17-32:")
    assert stored({"pin": 1234})["pin"].startswith("[masked:names:number:1-4:")
    assert StoredMasking(b"o" * 32, Detector).value("sk-" + "a" * 20, Counter()) != first


def test_a_named_secret_is_masked_wherever_the_value_repeats_it():
    result = stored({"password": "hunter22", "log": "tried hunter22", "ok": True, "n": 5})
    assert result["log"] == f"tried {result['password']}"
    assert (result["ok"], result["n"]) == (True, 5)


def test_json_inside_a_text_remains_valid_json():
    inner = {"token": "abcdef", "pin": 1234, "credentials": {"user": "ada", "n": [1]}, "n": 1}
    result = json.loads(stored(json.dumps(inner)))
    assert all(is_mark(result[name]) for name in ("token", "pin", "credentials"))
    assert result["n"] == 1
    flat = {"token": "abcdef", "pin": 1234, "n": 1}
    body = stored({"body": json.dumps({"a": json.dumps(flat)})})["body"]
    assert is_mark(json.loads(json.loads(body)["a"])["pin"])


def test_identifier_fields_are_not_masked_as_card_numbers():
    item: dict[str, Json] = {
        "call_id": "4111111111111111",
        "session_id": "ada@example.org",
        "elapsed_ms": 12,
    }
    names = frozenset({"call_id", "session_id"})
    result, counts = MASKING.fields(item, identifiers=names, plain=frozenset())
    assert result["call_id"] == item["call_id"]
    assert result["elapsed_ms"] == 12
    assert has_mark(result["session_id"])
    assert counts == {"e-mails": 1}


def test_a_custom_pattern_matches_within_text_or_the_entire_value():
    assert stored("pay BADGE-1, now").endswith("], now")
    assert is_mark(stored("1234"))
    assert stored("it is 1234") == "it is 1234"


def test_disabled_detectors_mask_nothing():
    off = StoredMasking(b"k" * 32, [Detector.JWTS])
    value: Json = {"password": "hunter22", "card": 4111111111111111, "mail": "ada@example.org"}
    assert off.value(value, Counter()) == value


@pytest.mark.parametrize("text", ["DE88 3704 0044 0532 0130 00", "DE89 3704", "DE89x", "XX12 3456"])
def test_a_malformed_iban_is_not_masked(text):
    assert StoredMasking(b"k" * 32, [Detector.IBANS]).text(text, Counter()) == text


@pytest.mark.parametrize(
    ("length", "name"), [(1, "1-4"), (16, "9-16"), (17, "17-32"), (5_000, "4097+")]
)
def test_lengths_are_grouped_into_classes(length, name):
    assert length_class(length) == name


def test_mask_fingerprints_are_removed_for_grouping():
    texts = [f"no {stored('sk-' + letter * 20)} here" for letter in "ab"]
    assert {without_fingerprints(text) for text in texts} == {"no [masked] here"}
    assert without_fingerprints(texts[0][:30]) == "no [masked]"


names = st.text(max_size=5) | st.sampled_from(["password", "pin"])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.sampled_from(
        ["sk-abcdefghij0123456789", IBAN, "password=hunter22", "x@y.zz", '{"token": "abc"}']
    ),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(names, inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@given(values)
def test_a_masked_value_is_not_masked_twice(value):
    detectors = set(Detector)
    masking = StoredMasking(b"k" * 32, detectors)
    once = masking.value(value, Counter())
    counts = Counter[str]()
    assert masking.value(once, counts) == once
    assert not counts
    assert type(once) is type(value) or isinstance(once, str)
