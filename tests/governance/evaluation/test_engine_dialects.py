"""Conversion between the two formats of a contract is lossless and changes only keys and values."""

import re
from pathlib import Path

import edictum
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from governance.texts.dialect import Dialect
from governance.texts.document import read_document
from tests.governance.contracts.documents import call
from tests.governance.dialects import to_old
from tests.governance.generated import DOCUMENTS, text_of

TEMPLATES = sorted((Path(edictum.__file__).parent / "yaml_engine" / "templates").glob("*.yaml"))
WORDS = {
    "contracts": "rules",
    "ContractBundle": "Ruleset",
    "effect": "action",
    "timeout_effect": "timeout_action",
    "deny": "block",
    "approve": "ask",
}
COMMENTS = st.sampled_from(["# effect: deny", "# action: block", "#", "# kind: Ruleset é", ""])
STYLES = st.fixed_dictionaries(
    {},
    optional={
        "indent": st.integers(2, 8),
        "width": st.sampled_from([20, 80, 500]),
        "default_flow_style": st.sampled_from([None, True, False]),
        "default_style": st.sampled_from([None, "'", '"']),
        "allow_unicode": st.booleans(),
        "line_break": st.sampled_from(["\n", "\r\n"]),
        "explicit_start": st.booleans(),
        "explicit_end": st.booleans(),
    },
)


def commented(text: str, comments: list[str]) -> str:
    """The same document with each comment on its own line before a key."""
    waiting = iter(comments)
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if re.match(r"(- )?[a-z]", line):
            lines += [f"{comment}\n" for comment in [next(waiting, None)] if comment is not None]
        lines.append(line)
    return "".join(lines)


def comments_of(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("#")]


def without_words(text: str) -> str:
    """The text with every key and value of either format masked."""
    return re.sub("|".join(rf"\b{word}\b" for pair in WORDS.items() for word in pair), "·", text)


@settings(max_examples=80, deadline=None)
@given(DOCUMENTS, st.lists(COMMENTS, max_size=8), STYLES, st.sampled_from(Dialect))
def test_contracts_round_trip_between_formats_unchanged(document, comments, style, dialect):
    text = commented(text_of(document, dialect, **style), comments)
    there = read_document(text)
    back = read_document(there.twin)
    assert there.dialect is dialect
    assert back.dialect is not dialect
    assert back.twin == there.text == text
    assert comments_of(there.twin) == comments_of(text)
    assert without_words(there.twin) == without_words(text)


@settings(max_examples=40, deadline=None)
@given(DOCUMENTS, STYLES)
def test_contracts_are_equivalent_in_both_formats(engine, document, style):
    in_new, in_old = text_of(document, **style), text_of(document, Dialect.OLD, **style)
    assert yaml.safe_load(read_document(in_old).new_text) == document
    assert yaml.safe_load(read_document(in_new).text_in(Dialect.OLD)) == to_old(document)
    new, old = engine.validate(in_new), engine.validate(in_old)
    assert (new.valid, old.valid) == (True, True)
    assert old.session_rules == new.session_rules
    assert [warning.message for warning in old.warnings] == [w.message for w in new.warnings]


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_the_librarys_templates_round_trip_through_the_old_format_unchanged(engine, template):
    text = template.read_text()
    document = read_document(text)
    back = read_document(document.text_in(Dialect.OLD))
    assert (document.dialect, back.dialect) == (Dialect.NEW, Dialect.OLD)
    assert back.new_text == text
    assert yaml.safe_load(back.text) == to_old(yaml.safe_load(text))
    assert without_words(back.text) == without_words(text)
    assert engine.explain(back, call("bash", command="rm -rf /")) == engine.explain(
        document, call("bash", command="rm -rf /")
    )
