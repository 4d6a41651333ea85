"""Pieces of text: whatever the bytes are, all of them are shown, and none of them does anything."""

from hypothesis import given
from hypothesis import strategies as st

from outcomes.artifacts.domain.pieces.texts import TextPiece, text_piece, visible

WINDOW = 16
texts = st.text(st.sampled_from("aé€🙂\n\t "), max_size=80)


def pieces_of(content: bytes, window: int = WINDOW, most: int = 3) -> list[TextPiece]:
    """One after the other, as somebody pages through it."""
    result, start, line = [], 0, 1
    while start < len(content):
        part = content[start : start + window]
        begun = content.rfind(b"\n", 0, start) + 1
        is_end = start + len(part) == len(content)
        piece = text_piece(part, start, line, is_end=is_end, in_line=begun < start, most=most)
        assert start < piece.stop <= len(content)
        line += content.count(b"\n", start, piece.stop)
        start = piece.stop
        result.append(piece)
    return result


@given(texts)
def test_consecutive_pieces_add_up_to_the_text(text):
    lines: list[str] = []
    for piece in pieces_of(text.encode()):
        for line in piece.lines:
            lines[line.number - 1 :] = ["".join(lines[line.number - 1 :]) + line.text]
        assert piece.spoilt == 0
    assert lines == (text.removesuffix("\n").split("\n") if text else [])


@given(st.binary(max_size=120))
def test_whatever_the_bytes_are_paging_comes_to_their_end(content):
    pieces = pieces_of(content)
    assert [piece.start for piece in pieces[1:]] == [piece.stop for piece in pieces[:-1]]
    assert (pieces[-1].stop if pieces else 0) == len(content)


def test_a_line_that_fills_the_window_is_cut_between_two_characters():
    piece = text_piece(("é" * 50).encode()[:15], 0, 1, is_end=False)
    assert [(line.text, line.is_cut) for line in piece.lines] == [("é" * 7, True)]
    assert piece.stop == 14


def test_a_line_that_the_window_cuts_off_waits_for_the_next_piece():
    piece = text_piece(b"one\ntwo\nthr", 100, 7, is_end=False)
    assert [(line.number, line.text) for line in piece.lines] == [(7, "one"), (8, "two")]
    assert piece.stop == 108


def test_what_moves_a_cursor_or_turns_text_around_stands_there_as_a_sign():
    assert visible("a\0b\x1b[2Jc\u202edcba\r") == "a␀b␛[2Jc⟨U+202E⟩dcba"


def test_places_that_are_no_text_are_counted_and_signs_that_say_so_are_not():
    assert text_piece(b"a\xffb\xfe \xef\xbf\xbd", 0, 1, is_end=True).spoilt == 2
