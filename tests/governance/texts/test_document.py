"""Documents rejected before the library parses them, with positions."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from governance.core.errors import DocumentInvalid, Problem
from governance.texts.dialect import Dialect
from governance.texts.document import MAX_BYTES, read_document
from governance.texts.yaml_text import locate, path_text
from tests.governance.dialects import to_new, to_old


def problem_of(source: bytes | str) -> Problem:
    with pytest.raises(DocumentInvalid) as refused:
        read_document(source)
    (problem,) = refused.value.errors
    return problem


LAUGHS = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    for before, name in zip("abcdefg", "bcdefgh", strict=True)
)

REFUSED = {
    "an alias bomb": (LAUGHS, "Anchors", 1, 4),
    "an alias": ("a: 1\nb: *c", "Aliases", 2, 4),
    "a merge key": ("a:\n  <<: {b: 1}", "Merge keys", 2, 3),
    "a key twice": ("a: 1\nb:\n  c: 1\n  c: 2", "`c` is defined twice", 4, 3),
    "a key twice in other quotes": ("a: 1\n'a': 2", "`a` is defined twice", 2, 1),
    "a tab for indentation": ("a:\n\tb: 1", "tabs", 2, 1),
    "a byte order mark": ("\ufeffa: 1", "byte order mark", 1, 1),
    "a NUL": ("a: 1\nb: x\0y", "A NUL", 2, 5),
    "a control character": ("a: \x1b[31m", "U+001B", 1, 4),
    "bytes that are not UTF-8": (b"a: 1\nb: \xff", "not UTF-8", 2, 4),
    "half a character": ("a: \ud800", "surrogate", 1, 4),
    "a second document": ("a: 1\n---\nb: 1", "only one document", 2, 1),
    "a list for a key": ("a: 1\n? [b]\n: c", "A key must be a word", 2, 3),
    "nothing": ("", "empty", 1, 1),
    "a comment alone": ("# nothing yet\n", "empty", 1, 1),
    "a list": ("- a\n- b", "made of keys", 1, 1),
    "a word": ("Ruleset", "made of keys", 1, 1),
    "a bracket left open": ("a: [1, 2", "expected here", 1, 9),
    "a quote left open": ('a: "b\nc: 1\n', "never closed", 2, 5),
    "a colon in a plain text": ("a: b: c", "A colon isn't allowed here", 1, 5),
    "a value that begins with a sign": ("a: %b", "cannot begin with", 1, 4),
    "a bad escape": ('a: "\\d"', "escape", 1, 5),
    "20,000 brackets": ("a: " + "[" * 20_000, "Nested more than 50", 1, 53),
    "51 levels": ("a:" * 1 + " {a:" * 50 + " 1" + "}" * 50, "Nested more than 50", 1, 200),
}


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED.keys())
def test_an_invalid_document_is_reported_with_line_and_column(row):
    source, words, line, column = row
    problem = problem_of(source)
    assert words in problem.message
    assert (problem.line, problem.column) == (line, column)


def test_an_oversized_document_is_rejected_before_parsing():
    problem = problem_of(b"a: 1\nb: " + b"x" * 2_000_000)
    assert "at most 524,288 are allowed" in problem.message
    assert (problem.line, problem.column) == (2, 524_288 - len("a: 1\n") + 1)


def test_size_is_measured_in_bytes():
    assert read_document("a: " + "x" * (MAX_BYTES - 3))
    assert "are allowed" in problem_of("a: " + "é" * (MAX_BYTES // 2)).message


def test_fifty_levels_of_nesting_are_accepted():
    assert read_document("a:" + " {a:" * 49 + " 1" + "}" * 49)


def test_line_numbers_do_not_depend_on_line_endings():
    assert problem_of("a: 1\r\nb: \0").line == 2


def test_a_document_in_the_new_format_is_passed_on_byte_for_byte():
    text = "kind: Ruleset # effect: deny\nrules: []\n"
    document = read_document(text)
    assert document.dialect is Dialect.NEW
    assert document.text == document.new_text == text


OLD = """\
contracts:  # effect: deny
  - then:
      effect: >-
        deny
      "timeout_effect": 'deny'  # deny
      message: effect deny é
    outside: "d\\x65ny"
    when: {effect: {equals: deny}}
kind: !!str ContractBundle
"""
OLD_IN_NEW_WORDS = """\
rules:  # effect: deny
  - then:
      action: >-
        block
      "timeout_action": 'block'  # deny
      message: effect deny é
    outside: block
    when: {effect: {equals: deny}}
kind: !!str Ruleset
"""


def test_converting_to_the_new_format_changes_only_keys_and_values():
    document = read_document(OLD)
    assert document.dialect is Dialect.OLD
    assert document.text == OLD
    assert document.new_text == OLD_IN_NEW_WORDS


WORDS = st.sampled_from(
    [
        "contracts",
        "rules",
        "then",
        "effect",
        "action",
        "timeout_effect",
        "outside",
        "deny",
        "block",
        "approve",
    ]
) | st.sampled_from(["é: x", "# no", "- a", "line\nline", "", "12", "no"])
RULES = st.fixed_dictionaries(
    {"id": WORDS},
    optional={
        "then": st.dictionaries(WORDS, WORDS, max_size=4),
        "outside": WORDS,
        "timeout_effect": WORDS,
        "when": st.dictionaries(WORDS, st.lists(WORDS, max_size=2), max_size=2),
    },
)


class Plain(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:
        return True


@given(
    st.lists(RULES, max_size=3),
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([None, True, False]),
    st.sampled_from([("contracts", "ContractBundle", to_new), ("rules", "Ruleset", to_old)]),
)
def test_text_conversion_agrees_with_conversion_of_the_parsed_document(rules, style, flow, way):
    key, kind, changed = way
    document = {key: rules, "kind": kind}
    text = yaml.dump(document, Dumper=Plain, default_style=style, default_flow_style=flow)
    read = read_document(text)
    assert yaml.safe_load(read.twin) == changed(yaml.safe_load(text))
    assert len(read.twin.splitlines()) == len(text.splitlines())
    back = read_document(read.twin)
    assert back.dialect is not read.dialect
    assert yaml.safe_load(back.twin) == yaml.safe_load(text)


def test_converting_to_the_old_format_changes_only_keys_and_values():
    document = read_document(OLD_IN_NEW_WORDS)
    plain = OLD.replace('"d\\x65ny"', "deny")
    assert document.text_in(Dialect.NEW) == OLD_IN_NEW_WORDS
    assert document.text_in(Dialect.OLD) == plain
    assert read_document(plain).text_in(Dialect.NEW) == OLD_IN_NEW_WORDS


@given(st.text() | st.text(alphabet="ab:-{}[],\"'\n\t #&*!|>%@?<\\") | st.binary())
def test_any_text_is_parsed_or_rejected_with_a_reason(source):
    try:
        text = read_document(source).text
    except DocumentInvalid as refused:
        text = str(refused)
    assert text


def test_positions_are_located_by_path():
    text = "a:\n  - b: 1\n    c: [x, y]\n"
    names = {(("a", 0, "c"), True), (("a", 0, "c", 1), False), (("a", 7), False)}
    assert locate(text, names) == {
        (("a", 0, "c"), True): (3, 5),
        (("a", 0, "c", 1), False): (3, 12),
    }


def test_a_path_is_formatted_like_code():
    assert path_text(("rules", 2, "then", "action")) == "rules[2].then.action"
