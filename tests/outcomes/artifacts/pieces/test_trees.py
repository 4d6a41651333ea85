"""Paging through JSON lists the members that a parser of the entire value would return."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outcomes.artifacts.domain.pieces.skipping import size_of_value
from outcomes.artifacts.domain.pieces.trees import Member, TreePiece, container_at, tree_piece

texts = st.text(st.sampled_from('a"\\{}[],:é\n'), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
containers = st.lists(values, max_size=8) | st.dictionaries(st.text(max_size=4), values, max_size=8)


def members_of(text: bytes, most: int = 3, window: int = 1 << 20) -> list[Member]:
    """All members, read page by page."""
    kind, start = container_at(text)
    listed: list[Member] = []
    place: int | None = start
    while place is not None:
        piece = tree_piece(text[place : place + window], place, kind, len(listed), most=most)
        assert piece.members or piece.is_ended
        assert not piece.is_spoilt
        listed += piece.members
        place = piece.next
    return listed


@settings(max_examples=50)
@given(containers, st.sampled_from([None, 1]), st.integers(1, 4))
def test_all_pages_together_list_every_member(value, indent, most):
    text = json.dumps(value, indent=indent, ensure_ascii=False).encode()
    members = members_of(text, most)
    assert [member.value for member in members] == list(
        value.values() if isinstance(value, dict) else value
    )
    assert all(member.is_read for member in members)
    for member in members:
        assert json.loads(text[member.at : member.at + (member.size or 0)]) == member.value


@settings(max_examples=50)
@given(values.filter(lambda value: isinstance(value, (str, list, dict))), st.integers(1, 5))
def test_the_end_of_a_long_value_is_located_with_any_chunk_size(value, size):
    text = json.dumps(value).encode() + b', "after": "]}"'
    end = len(json.dumps(value))
    assert size_of_value(text[at : at + size] for at in range(0, len(text), size)) == end
    assert size_of_value([text[: end - 1]]) is None


def piece_of(window: bytes, kind: str = "list") -> TreePiece:
    return tree_piece(window, 0, kind)


@pytest.mark.parametrize(
    ("window", "beginning"), [(b'"' + b"a" * 9_000, '"aaa'), (b"[" * 9_000, ""), (b"1" * 99, "11")]
)
def test_a_member_beyond_the_window_has_its_start_offset(window, beginning):
    (member,) = piece_of(window).members
    assert (member.at, member.size, member.is_read) == (0, None, False)
    assert member.beginning.startswith(beginning)
    assert piece_of(window).next is None


def test_a_member_beyond_the_window_after_another_starts_the_next_page():
    piece = piece_of(b'1, "' + b"a" * 9_000)
    assert ([member.value for member in piece.members], piece.next) == ([1], 3)


def test_long_strings_and_large_objects_are_listed_unread():
    text = json.dumps(["é" * 5_000, {"a": "b" * 2_000}, 3], ensure_ascii=False).encode()
    long, large, small = members_of(text)
    assert (long.kind, long.is_read, len(long.beginning)) == ("text", False, 200)
    assert (large.kind, large.is_read, large.size) == ("object", False, 2_009)
    assert (small.value, small.is_read) == (3, True)


@pytest.mark.parametrize(
    ("kind", "window"),
    [("object", b"a: 1}"), ("object", b'"a" 1}'), ("object", b'"a": }'), ("list", b": 1]")],
)
def test_invalid_json_is_reported(kind, window):
    piece = piece_of(window, kind)
    assert (piece.is_spoilt, piece.members, piece.next) == (True, [], None)


@pytest.mark.parametrize(
    "text", [b"[" * 1_000 + b"]" * 1_000, b"[" + b"[" * 500 + b"]" * 500 + b"]"]
)
def test_deeply_nested_json_can_be_opened_level_by_level(text):
    kind, start = container_at(text)
    piece = tree_piece(text[start:], start, kind)
    assert ([member.kind for member in piece.members], piece.is_ended) == (["list"], True)


@given(st.binary(max_size=60), st.sampled_from(["list", "object"]))
def test_any_bytes_can_be_paged_as_json(window, kind):
    piece = tree_piece(window, 0, kind)
    assert piece.next is None or 0 <= piece.next <= len(window)


def test_a_lone_surrogate_in_a_name_is_displayed_escaped():
    (member,) = piece_of(b'"\\ud800": "\\udfff"}', "object").members
    assert member.name == '"\\ud800"'
