"""Paging through text displays all of any content and neutralizes control characters."""

from hypothesis import given
from hypothesis import strategies as st

from outcomes.artifacts.domain.pieces.texts import TextPiece, text_piece, visible

WINDOW = 16
texts = st.text(st.sampled_from("aé€🙂\n\t "), max_size=80)


def pieces_of(content: bytes, window: int = WINDOW, most: int = 3) -> list[TextPiece]:
    """Pieces in order, as a reader pages through them."""
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
def test_paging_reaches_the_end_of_any_bytes(content):
    pieces = pieces_of(content)
    assert [piece.start for piece in pieces[1:]] == [piece.stop for piece in pieces[:-1]]
    assert (pieces[-1].stop if pieces else 0) == len(content)


def test_a_line_longer_than_the_window_is_cut_between_characters():
    piece = text_piece(("é" * 50).encode()[:15], 0, 1, is_end=False)
    assert [(line.text, line.is_cut) for line in piece.lines] == [("é" * 7, True)]
    assert piece.stop == 14


def test_a_line_cut_by_the_window_is_in_the_next_piece():
    piece = text_piece(b"one\ntwo\nthr", 100, 7, is_end=False)
    assert [(line.number, line.text) for line in piece.lines] == [(7, "one"), (8, "two")]
    assert piece.stop == 108


def test_control_and_bidi_characters_are_replaced_by_visible_symbols():
    assert visible("a\0b\x1b[2Jc\u202edcba\r") == "a␀b␛[2Jc⟨U+202E⟩dcba"


def test_invalid_bytes_are_counted_but_replacement_characters_are_not():
    assert text_piece(b"a\xffb\xfe \xef\xbf\xbd", 0, 1, is_end=True).spoilt == 2
