"""Regular expressions as automata: matches, size limits and rejected patterns."""

import pytest

from governance.checks.language.automata import (
    LONGEST,
    MOST_STATES,
    PatternRefused,
    Reason,
    automaton,
    steps_to,
)
from tests.governance.checks.language.walking import count_of_states, made_or_refused, matches, walk

LONG = "ab" * 30_000


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("", "", True),
        ("b", "abc", True),
        ("b", "acd", False),
        ("^b", "ab", False),
        ("a$", "ba", True),
        ("a$", "a\n", False),
        ("^$", "", True),
        ("a.c", "a\nc", False),
        ("a.c", "a😀c", True),
        (r"\d{3}", "12 345", True),
        (r"^\d{2,3}$", "1234", False),
        (r"\d", "٣", False),
        (r"\w", "é", False),
        (r"\s", "\v", False),
        (r"[[:space:]]", "\v", True),
        (r"\berror\b", "an error.", True),
        (r"\berror\b", "errors", False),
        (r"é\b", "é", False),
        (r"\Bb", "ab", True),
        (r"[^a]", "\n", True),
        (r"\x41\x{1F600}", "A😀", True),
        (r"\Qa.b*\E+", "a.b***", True),
        (r"\Qa.b*\E+", "axb", False),
        (r"(?P<year>\d{4})-(?<month>\d\d)", "in 2026-11", True),
        (r"a{,2}", "a{,2}", True),
        (r"a{01}", "a{01}", True),
        (r"[]-]", "]", True),
        (r"[a\-z]", "-", True),
        (r"\A\z", "a", False),
        ("[^\\x00-\\x{10FFFF}]", "anything", False),
        ("\\x{DC00}", "\udc00", True),
        ("error.{0,50}late", "error error " + "x" * 43 + "late", True),
        ("error.{0,50}late", "error " + "x" * 50 + "late", False),
    ],
)
def test_a_pattern_matches_anywhere_in_the_text(pattern, text, expected):
    assert matches(automaton(pattern), text) is expected


def test_anchors_match_at_line_ends_only_in_multiline_mode():
    text = "first\nsecond\nthird"
    assert not matches(automaton("^second$"), text)
    assert matches(automaton("^second$", multiline=True), text)
    assert not matches(automaton(r"\Asecond\z", multiline=True), text)


def test_ignore_case_folds_ascii_letters_only():
    folding = automaton("kÉ[d-f]", ignore_case=True)
    assert matches(folding, "KÉE")
    assert not matches(folding, "Kée")
    assert not matches(automaton("k", ignore_case=True), "\N{KELVIN SIGN}")
    assert not matches(automaton("s", ignore_case=True), "\N{LATIN SMALL LETTER LONG S}")
    assert not matches(automaton("[^k]", ignore_case=True), "K")
    assert not matches(automaton("[[:^upper:]]", ignore_case=True), "aB")


@pytest.mark.parametrize(
    ("pattern", "reason", "position"),
    [
        ("a(b", Reason.SYNTAX, 1),
        ("a)b", Reason.SYNTAX, 1),
        ("a|*", Reason.SYNTAX, 2),
        ("a**", Reason.SYNTAX, 2),
        ("ab[c", Reason.SYNTAX, 2),
        ("[z-a]", Reason.SYNTAX, 1),
        ("[[:letters:]]", Reason.SYNTAX, 1),
        ("a\\", Reason.SYNTAX, 1),
        ("a{1001}", Reason.SYNTAX, 1),
        ("(?:a{40}){40}", Reason.SYNTAX, 9),
        ("a{3,2}", Reason.SYNTAX, 1),
        (r"(a)\1", Reason.SYNTAX, 3),
        (r"a(?=b)", Reason.SYNTAX, 1),
        (r"a(?<!b)", Reason.SYNTAX, 1),
        (r"a\Z", Reason.SYNTAX, 1),
        (r"\x{110000}", Reason.SYNTAX, 0),
        (r"\x{" + "9" * 9_000 + "}", Reason.SYNTAX, 0),
        (r"a(?i)b", Reason.FLAGS, 1),
        (r"[\pL]", Reason.UNICODE_CLASS, 1),
        (r"a\C", Reason.SINGLE_BYTE, 1),
        ("(?P<größe>a)", Reason.GROUP_NAME, 0),
        ("(" * 5_000, Reason.TOO_DEEP, 100),
        ("a" * (LONGEST + 1), Reason.TOO_LONG, LONGEST),
        ("(?:a|b)*a(?:a|b){12}c", Reason.TOO_MANY_STATES, None),
        ("(?:[ab]?c?){500}x" * 3, Reason.TOO_LARGE, None),
    ],
)
def test_a_rejected_pattern_reports_reason_and_position(pattern, reason, position):
    with pytest.raises(PatternRefused) as refused:
        automaton(pattern)
    assert (refused.value.reason, refused.value.position) == (reason, position)
    assert str(refused.value).endswith(".")


def test_each_rejection_message_names_the_limit_or_the_fix():
    with pytest.raises(PatternRefused, match=r"more than 4,096 states"):
        automaton("foo.{50}bar")
    with pytest.raises(PatternRefused, match=r"ignore_case or multiline next to the operator"):
        automaton("(?i)error")


@pytest.mark.parametrize(
    ("pattern", "states"),
    [
        ("", 1),
        (".*.*.*", 1),
        ("(?:a?){1000}", 1),
        ("(?:.*a){300}", 300),
        ("(a+)+$", 2),
        ("a{1000}", 1000),
        ("error.{0,50}late", 550),  # not one state for each set of positions where `error` matched
        ("foo.{50,}bar", 60),
    ],
)
def test_automata_are_minimal(pattern, states):
    assert count_of_states(automaton(pattern)) <= states


def test_a_table_has_a_cell_for_every_state_and_character_class():
    made = automaton(r"\b(?:err|fail|Timeout)\w*\b|^[^a-f]{3,9}$", multiline=True)
    assert made["bounds"][0] == 0
    assert made["bounds"] == sorted(set(made["bounds"]))
    assert len(made["classes"]) == len(made["bounds"])
    assert set(made["classes"]) == set(range(made["width"]))
    assert set(made["table"]) <= {-1, -2, *range(count_of_states(made))}
    columns = {tuple(made["table"][place :: made["width"]]) for place in range(made["width"])}
    assert len(columns) == made["width"]


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|aa)+$", "(?:.*a){50}$", "(?:a?){100}a{100}$", r"(\w+\s?)*!$", "x*x*x*x*y"],
)
def test_matching_takes_at_most_one_step_per_character(pattern):
    made = automaton(pattern)
    for text in ("a" * 20_000 + "!", "x" * 20_000, "word " * 4_000, LONG):
        assert walk(made, text)[1] <= len(text)


def test_a_search_stops_once_its_result_is_final():
    assert walk(automaton("a"), "a" + LONG) == (True, 1)
    assert walk(automaton("^x"), LONG) == (False, 1)
    assert walk(automaton("(?:)"), LONG) == (True, 1)


@pytest.mark.parametrize(
    "pattern",
    [
        "a" * LONGEST,
        "a?" * (LONGEST // 2),
        "a|" * (LONGEST // 2),
        "^" * LONGEST,
        "[a-z]{1000}" * 900,
        "(?:" + "a" * 9_000 + "){1000}",
        "(?:(?:a{0,10}b){0,10}c){0,10}d",
        "(?:x.{0,20}y){20}",
        "".join(map(chr, range(0x4E00, 0x4E00 + LONGEST))),
        "".join(rf"[a-\x{{{code:x}}}]" for code in range(500, 1400)),
        "(?:" * 99 + "a" + ")*" * 99,
        "[" + "".join(map(chr, range(0x4E00, 0x4E00 + 9_000, 2))) + "]{1000}",
    ],
)
def test_any_pattern_compiles_to_a_small_table_or_is_rejected(pattern):
    made = made_or_refused(pattern)
    if isinstance(made, PatternRefused):
        assert made.reason in {Reason.TOO_LARGE, Reason.TOO_MANY_STATES}
    else:
        assert count_of_states(made) <= MOST_STATES
        assert len(made["table"]) <= 262_144


def test_a_rejection_is_cached_and_raised_as_a_new_exception():
    items = [made_or_refused("(?:foo.{0,20}bar){20}") for _ in range(2)]
    assert all(isinstance(one, PatternRefused) for one in items)
    assert str(items[0]) == str(items[1])
    assert items[0] is not items[1]  # each is raised with its own traceback


def test_compile_cost_grows_with_the_pattern():
    assert 0 < steps_to("abc") < steps_to("a{100}") < steps_to("a{1000}") <= 600_000
