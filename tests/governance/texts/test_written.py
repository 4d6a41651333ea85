"""Texts restored to their author's line endings after a browser submits them."""

from governance.core.errors import Problem
from governance.texts.notation import as_written, lines_of, revision_of, words_at


def test_form_line_endings_are_converted_to_those_of_the_text():
    assert as_written("a\r\nb\r\n") == "a\nb\n"
    assert as_written("a\r\nb\n", like="x\ny") == "a\nb\n"


def test_a_windows_text_preserves_its_line_endings():
    assert as_written("a\nb\r\nc", like="x\r\n") == "a\r\nb\r\nc"


def test_a_revision_depends_on_the_text_and_its_base_version():
    assert revision_of("a", 1) == revision_of("a", 1)
    assert revision_of("a", 1) != revision_of("a", 2)
    assert revision_of("a", 1) != revision_of("b", 1)


def words(text: str, line: int | None, column: int | None) -> str:
    return words_at(lines_of(text), Problem(message="", line=line, column=column))


def test_the_highlighted_token_ends_where_its_yaml_scalar_ends():
    assert words("then:\n  acton: block", 2, 3) == "acton"
    assert words("tool: http_fetch", 1, 7) == "http_fetch"
    assert words("when: {args.x: {gt: 50}}", 1, 8) == "args.x"
    assert words("when: {args.x: {gt: 50}}", 1, 21) == "50"
    assert words("tool: 'mcp: *'", 1, 7) == "'mcp: *'"
    assert words('url: "a \\" b" # c', 1, 6) == '"a \\" b"'
    assert words("at: 10:30", 1, 5) == "10:30"
    assert words("a: 1\r\nbad: 2", 2, 1) == "bad"


def test_a_problem_without_a_position_highlights_nothing():
    assert words("a", None, None) == ""
    assert words("a", 7, 1) == ""
    assert words("a: ", 1, 4) == ""
