"""Values that leave the agent become masked, bounded JSON, whatever their type."""

import dataclasses
import datetime
import enum
import json
import math
import pathlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edictum_site_client import Masking
from edictum_site_client.masking import MASK
from edictum_site_client.site.matcher import plain
from edictum_site_client.values import Withheld, encoded, fitted, jsonable, text_of

PLAIN = st.none() | st.booleans() | st.integers(-(2**62), 2**62) | st.text(max_size=20)
KEYS = st.text('01 .:"\\\n\0äß漢😀', max_size=8)  # no letters that could form a secret's key
JSON = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner))


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Row:
    name: str
    api_key: str


class Model:
    def model_dump(self) -> dict[str, Any]:
        return {"content": "fine", "token": "t"}


class Message:
    def model_dump(self) -> dict[str, Any]:
        return {"content": [1.5, None]}


class Rude:
    def __str__(self) -> str:
        raise RuntimeError("no")


def shaped(value: Any, **settings: Any) -> Any:
    return jsonable("tool", value, Masking(**settings))


@given(JSON)
def test_json_without_secrets_leaves_as_it_is(value: Any) -> None:
    assert json.loads(encoded(shaped(value))) == value


OBJECTS = st.sampled_from(
    [
        Colour.RED,
        Message(),
        Rude(),
        b"\xff",
        (1, {2}),
        {3: math.inf},
        2**70,
        "\ud800",
        ValueError("x"),
        pathlib.PurePath("a/b"),
        datetime.date(2026, 11, 18),
    ]
)
ANYTHING = st.recursive(
    PLAIN | OBJECTS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner)
)


@given(ANYTHING)
def test_a_check_sees_what_is_sent_when_nothing_is_secret(value: Any) -> None:
    assert MASK not in str(sent := shaped(value))
    # Except for lone surrogates, which JSON cannot represent.
    request = json.dumps(plain(value), ensure_ascii=False).encode("utf-8", "replace")
    assert json.loads(request) == sent


def test_a_check_sees_values_before_they_are_cut_or_masked() -> None:
    value = Row("A" * 2_000_000, "k")
    assert plain(value) == {"name": "A" * 2_000_000, "api_key": "k"}


@pytest.mark.parametrize(
    ("value", "leaves"),
    [
        (Colour.RED, "red"),
        (Row("A", "k"), {"name": "A", "api_key": MASK}),
        (Model(), {"content": "fine", "token": MASK}),
        (datetime.datetime(2026, 11, 18, tzinfo=datetime.UTC), "2026-11-18T00:00:00+00:00"),
        (b"text", "text"),
        (b"\xff", "/w=="),
        ((1, 2), [1, 2]),
        ({1: 2}, {"1": 2}),
        (float("nan"), "nan"),
        (2**70, 2**70),
        (-(10**3_000), -(10**3_000)),
        ([10**5_000], ["[int of 16610 bits]"]),
        ("\ud800", "?"),
        (ValueError("x"), "ValueError: x"),
        (Rude(), "[Rude]"),
    ],
)
def test_a_value_that_json_lacks_is_sent_as_its_type(value: Any, leaves: Any) -> None:
    assert shaped(value) == leaves


def test_circles_and_depths_come_to_an_end() -> None:
    circle: list[Any] = []
    circle.append(circle)
    assert shaped(circle) == ["[circular]"]
    doubling: Any = "leaf"
    for _ in range(60):
        doubling = [doubling, doubling]
    with pytest.raises(Withheld):
        shaped(doubling, max_characters=1_000)


@pytest.mark.parametrize("key", ["password", "apiKey", "X-API-KEY", "access_token", "sessionToken"])
def test_a_key_that_tells_of_a_secret_hides_its_value(key: str) -> None:
    assert shaped({key: {"deep": "secret"}}) == {key: MASK}


@pytest.mark.parametrize("key", ["max_tokens", "author", "monkey", "tokenizer", "sort_key"])
def test_a_key_that_only_sounds_so_does_not(key: str) -> None:
    assert shaped({key: 7}) == {key: 7}


@pytest.mark.parametrize(
    "secret",
    [
        "sk-" + "aB3" * 10,
        "AKIA" + "A1" * 8,
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln",
        "ghp_" + "a1" * 18,
        "xoxb-1234567890-abc",
        "edk_production_" + "a1" * 16,
    ],
)
def test_what_looks_like_a_secret_is_masked_inside_of_text(secret: str) -> None:
    assert secret not in shaped(f"it is {secret}, as said")
    assert shaped("https://user:pw@host/") == f"https://{MASK}@host/"


def test_a_secret_at_the_cut_does_not_lose_the_half_by_which_it_is_known() -> None:
    text = "x" * 990 + " sk-" + "a1" * 40
    assert "sk-a1" not in shaped(text, max_characters=2_000)
    assert "sk-a1" not in text_of("x" * 7_990 + " sk-" + "a1" * 40, Masking())


def test_what_is_too_large_is_cut_and_says_so() -> None:
    for text in ("x", "x\n"):
        assert shaped(text * 3_000_000).startswith(text * 200_000)
    assert len(shaped("x" * 5_000_000)) < 1_000_000
    cut = shaped([{"text": "x" * 3_000} for _ in range(1_000)])
    assert cut[-1] == "[900 more were cut]"
    assert "3000 characters" in cut[0]["text"]


def test_a_cut_text_keeps_its_end() -> None:
    error = "Traceback (most recent call last):\nKeyError: 7"
    for text in ("x" * 8_000_000 + error, "x\n" * 4_000_000 + error):
        assert shaped(text).endswith(error)
        assert shaped({"log": text, "exit": 1})["log"].endswith(error)
    assert shaped("x" * 3_000 + error, max_characters=1_000).endswith(error)


def test_no_part_of_a_secret_remains_at_the_end() -> None:
    secret = "sk-" + "a1" * 100
    for place in range(150, 260, 10):
        text = "x" * 9_000 + secret + "y" * place
        assert "a1a1" not in shaped(text, max_characters=1_000)


def test_masking_of_ones_own_comes_last_and_withholds_when_it_raises() -> None:
    def hide(tool_name: str, value: Any) -> Any:
        return {**value, "tool": tool_name, "name": value["name"][0]}

    assert shaped({"name": "Aurelia"}, also=hide) == {"name": "A", "tool": "tool"}
    with pytest.raises(Withheld):
        shaped({"other": 1}, also=hide)


@pytest.mark.parametrize(
    ("value", "is_cut"),
    [
        ("x" * 900_000, False),
        ("x" * 1_000_001, True),
        ({"log": "x" * 1_000_001}, True),
        (list(range(100_001)), True),
        ({str(number): None for number in range(100_001)}, True),
        (10**5_000, True),
        (b"\xff" * 1_000_001, True),
        ("a secret: sk-" + "a1" * 40, False),
    ],
    ids=["text", "long text", "inside", "list", "object", "number", "bytes", "secret"],
)
def test_a_value_says_whether_something_of_it_is_missing(value: Any, *, is_cut: bool) -> None:
    assert fitted("tool", value, Masking()).is_cut is is_cut
