"""Sentences about contracts, and highlighted YAML."""

import pytest

from governance.contracts.domain.grammar import CONTRACT_WORDS
from governance.contracts.domain.rule_aspects import rules_in_words
from governance.contracts.words import live_sentence, mode_fact, rules_fact
from governance.texts.document import read_document
from governance.texts.yaml_marks import marked_lines
from tests.governance.contracts.documents import ALWAYS, document, pre
from tests.governance.serving import RICH


@pytest.mark.parametrize(
    ("live", "sentence"),
    [
        ({}, "`d` v3 isn't deployed"),
        ({"production": 3}, "`d` v3 is deployed to production"),
        ({"a": 3, "b": 3, "c": 3}, "`d` v3 is deployed to a, b and c"),
        (dict.fromkeys("abcd", 3), "`d` v3 is deployed to 4 environments"),
        ({"a": 3, "b": 2}, "`d` v3 is deployed to a, b runs v2"),
        ({"a": 2, "b": 1}, "`d` v3 isn't deployed, 2 environments run older versions"),
        ({"a": 1}, "`d` v3 isn't deployed, a runs v1"),
    ],
)
def test_one_sentence_summarizes_where_a_contract_is_deployed(live, sentence):
    assert live_sentence("d", 3, live) == sentence


def test_rules_are_counted_by_type():
    assert rules_fact(read_document(RICH)) == "5: 2 pre, 1 post, 1 session, 1 sandbox"
    off = pre(ALWAYS).replace("type: pre", "type: pre, enabled: false")
    assert rules_fact(read_document(document(off))) == "1: 1 pre, 1 disabled"


def test_the_mode_summary_counts_rules_with_a_different_mode():
    observed = pre(ALWAYS, rule_id="b").replace("type: pre", "type: pre, mode: observe")
    assert mode_fact(read_document(document(pre(ALWAYS)))) == "enforce"
    assert mode_fact(read_document(document(observed))) == "enforce, 1 rule observes"
    more = document(observed, observed.replace("id: b", "id: c"))
    assert mode_fact(read_document(more)) == "enforce, 2 rules observe"


def test_every_rule_is_described_in_words():
    words = rules_in_words(read_document(RICH))
    assert words["block"] == 'pre, `fetch`: denies when `args.action` is "block"'
    assert words["ask"] == (
        "pre, `*`: asks (1 min, then denies) when `args.effect` is one of "
        '"deny", "block" or not `args.rules` exists'
    )
    assert words["p"] == 'post, `fetch`: redacts when `output.text` contains "block"'
    assert words["s"] == "session: denies above 9 `max_attempts`"
    assert words["box"] == "sandbox, `fetch`: asks (5 min, then allows) what is not within `/srv`"


def test_call_limits_use_singular_and_plural():
    limits = "{max_calls_per_tool: {send: 1, read: 20}}"
    rule = f"{{id: s, type: session, limits: {limits}, then: {{action: block, message: m}}}}"
    words = rules_in_words(read_document(document(rule)))
    assert words["s"] == "session: denies above 1 call of `send`, 20 calls of `read`"


def test_highlighting_preserves_every_line_and_escapes_markup():
    text = 'a: <b>  # <i>\nc: "x & y"\nd: |\n  <script>\n  two\n\ne: [1, block, null]\n'
    lines = marked_lines(text, CONTRACT_WORDS)
    assert lines[0] == (
        '<span class="code-key">a</span>: &lt;b&gt;  <span class="code-note"># &lt;i&gt;</span>'
    )
    assert lines[1] == (
        '<span class="code-key">c</span>: <span class="code-string">&quot;x &amp; y&quot;</span>'
    )
    assert "&lt;script&gt;" in lines[3]
    assert '<span class="code-number">1</span>' in lines[6]
    assert '<span class="code-word">block</span>' in lines[6]
    assert len(lines) == 7


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_counts_do_not_depend_on_line_endings(ends):
    assert len(marked_lines(RICH.replace("\n", ends), CONTRACT_WORDS)) == RICH.count("\n")


def test_invalid_yaml_is_displayed_without_highlighting():
    assert [str(line) for line in marked_lines("a: 1\na: [", CONTRACT_WORDS)][1] == "a: ["


def test_a_very_long_text_is_escaped_but_not_highlighted():
    lines = marked_lines("a: <b>\n" + "# word\n" * 30_000, CONTRACT_WORDS)
    assert (lines[0], len(lines)) == ("a: &lt;b&gt;", 30_001)
