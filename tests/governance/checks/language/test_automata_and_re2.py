"""Generated patterns on generated texts: automata match and reject the same as RE2."""

import pytest
import re2
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from governance.checks.language.automata import PatternRefused, Reason
from tests.governance.checks.language.walking import made_or_refused, matches

QUIET = re2.Options()
QUIET.log_errors = False

PIECES = r"""
a b c k Z _ - 0 9 é . ^ $ \b \B \A \z \d \D \w \W \s \S \n \07 \400 \. \_ \é \1 \8 \C \pL \Z
[a-c] [^a] [^\n] [\d-] []a] [[:alpha:]] [^[:upper:]b] [[:^digit:]_] [[:no:]] [a-\d] [z-a] [a-c-e]
\x41 \x{1F600} \x4 \Qa*\E \Q \E ( (?: (?P<n> (?<m> (?P<> (?i) (?= (?! (?:) ) ) | [ ] { }
* + ? *? +? {2} {0,2} {1,} {,2} {01} {3}? {1001} \b{2}
"""
SOUP = st.lists(st.sampled_from(PIECES.split()), max_size=9).map("".join)

ATOMS = r"a b ab k . ^ $ \b \B \d \W [a-c] [^b] [[:space:]] é 😀 [é-\x{1F600}] \n (?:) _"
TIMES = st.sampled_from(
    ["*", "+", "?", "{2}", "{0}", "{1,3}", "{0,2}", "{2,}", "{3,7}", "{0,12}", "??", "{2,}?"]
)
WELL_FORMED = st.recursive(
    st.sampled_from(ATOMS.split()),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(?:{'|'.join(parts)})"),
        st.builds(lambda part, times: f"({part}){times}", inner, TIMES),
    ),
    max_leaves=8,
)
TEXTS = st.lists(st.text("aabbcdkKZz_ -09é\n😀B*٣", max_size=12), min_size=3, max_size=12)


def options(*, ignore_case: bool, multiline: bool) -> str:
    flags = "i" * ignore_case + "m" * multiline
    return f"(?{flags})" if flags else ""


def in_ascii(text: str) -> str:
    return text.encode("ascii", "ignore").decode()


def compare(pattern: str, texts: list[str], *, ignore_case: bool, multiline: bool) -> None:
    # RE2 folds every cased letter, and matches \B between the bytes of a character.
    if ignore_case:
        assume(pattern.isascii() and r"\x{" not in pattern and r"\400" not in pattern)
    if ignore_case or r"\B" in pattern:
        texts = [in_ascii(text) for text in texts]
    result = options(ignore_case=ignore_case, multiline=multiline) + pattern
    try:
        oracle = re2.compile(result, QUIET)
    except re2.error:
        oracle = None
    made = made_or_refused(pattern, ignore_case=ignore_case, multiline=multiline)
    if isinstance(made, PatternRefused):
        event(f"refused: {made.reason}")
        assert oracle is None or made.reason is not Reason.SYNTAX, str(made)
        return
    assert oracle is not None
    for text in texts:
        expected = oracle.search(text) is not None
        event(f"found: {expected}")
        assert matches(made, text) is expected, text


@settings(max_examples=400, deadline=None)
@given(SOUP, TEXTS, st.booleans(), st.booleans())
def test_any_pattern_matches_or_is_rejected_as_in_re2(pattern, texts, ignore_case, multiline):
    compare(pattern, texts, ignore_case=ignore_case, multiline=multiline)


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(WELL_FORMED, TEXTS, st.booleans(), st.booleans())
def test_well_formed_patterns_match_the_same_texts_as_re2(pattern, texts, ignore_case, multiline):
    compare(pattern, texts, ignore_case=ignore_case, multiline=multiline)


@settings(max_examples=150, deadline=None)
@given(
    st.text("ab.", min_size=1, max_size=4),
    st.integers(0, 9),
    st.integers(0, 9),
    st.text("ab.", min_size=1, max_size=3),
    st.lists(st.text("ab", max_size=40), min_size=5, max_size=20),
)
def test_pruning_redundant_paths_does_not_change_matches(before, low, more, behind, texts):
    pairs = (f"{low},{low + more}", f"{low},")
    for pattern in (f"{before}(?:a.|b){{{times}}}{behind}" for times in pairs):
        compare(pattern, texts, ignore_case=False, multiline=False)


BEYOND = {
    Reason.FLAGS: "(?i)a",
    Reason.UNICODE_CLASS: r"\pL",
    Reason.SINGLE_BYTE: r"\C",
    Reason.GROUP_NAME: "(?P<é>a)",
    Reason.TOO_LONG: "a" * 10_001,
    Reason.TOO_DEEP: "(" * 101 + ")" * 101,
    Reason.TOO_MANY_STATES: "(?:a|b)*a(?:a|b){12}c",
    Reason.TOO_LARGE: "(?:[ab]?c?){500}x",
}


@pytest.mark.parametrize("reason", sorted(set(Reason) - {Reason.SYNTAX}))
def test_patterns_that_re2_accepts_are_rejected_only_for_listed_reasons(reason):
    assert re2.compile(BEYOND[reason], QUIET)
    refused = made_or_refused(BEYOND[reason])
    assert isinstance(refused, PatternRefused)
    assert refused.reason is reason
