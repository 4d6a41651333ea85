"""Paging through CSV returns the records that a parser of the entire file would return."""

import csv
import io

from hypothesis import given, settings
from hypothesis import strategies as st

from outcomes.artifacts.domain.pieces.tables import LONGEST, TablePiece, delimiter_of, table_piece

cells = st.text(st.sampled_from('a, "é\n'), max_size=6)
rows = st.lists(st.lists(cells, min_size=2, max_size=4), min_size=1, max_size=12)


def piece_of(content: bytes, start: int = 0, line: int = 1, most: int = 100) -> TablePiece:
    return table_piece(content[start:], start, line, ",", is_end=True, most=most)


@settings(max_examples=50)
@given(rows, st.integers(1, 5))
def test_all_pages_together_list_every_record(rows, most):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    content, result, start, line = text.getvalue().encode(), [], 0, 1
    while start < len(content):
        piece = piece_of(content, start, line, most)
        assert piece.stop is not None
        assert piece.stop > start
        result += [record.cells for record in piece.records]
        start, line = piece.stop, piece.next_line
    assert (result, line) == (rows, content.count(b"\n") + 1)


def test_an_unclosed_quote_affects_only_its_own_line():
    piece = piece_of(b'a,b\n"never,1\n' + b"x,y\n" * 80)
    assert piece.spoilt == 1
    assert [record.cells for record in piece.records[:3]] == [["a", "b"], ["never,1"], ["x", "y"]]
    assert [record.line for record in piece.records[:3]] == [1, 2, 3]


def test_a_record_cut_by_the_window_is_in_the_next_piece():
    piece = table_piece(b'a,b\n1,"two\nlin', 0, 1, ",", is_end=False)
    assert [record.cells for record in piece.records] == [["a", "b"]]
    assert (piece.stop, piece.next_line, piece.spoilt) == (4, 2, 0)


def test_a_line_longer_than_the_window_is_truncated_and_skipped():
    piece = table_piece(b"a" * 131_072, 7, 3, ",", is_end=False)
    assert piece.records[0].cells == ["a" * LONGEST + "…"]
    assert (piece.stop, piece.next_line) == (None, 4)


def test_a_record_with_too_many_cells_reports_how_many_were_omitted():
    (record,) = piece_of(b"," * 999).records
    assert (len(record.cells), record.more) == (40, 960)


@given(st.binary(min_size=1, max_size=80))
def test_any_bytes_can_be_paged_as_a_table(content):
    piece = piece_of(content)
    assert piece.stop == len(content)


def test_the_most_frequent_delimiter_of_the_first_line_is_used():
    assert [delimiter_of(head) for head in (b"a;b,c;d\n,,,,", b"a\tb", b"a|b", b"a b", b"")] == [
        ";",
        "\t",
        "|",
        "",
        "",
    ]
