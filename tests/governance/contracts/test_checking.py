"""Problems of a text: where, in which words, and the fix."""

from governance.contracts.queries.analysis import check_text
from governance.texts.dialect import Dialect
from governance.texts.merging import merge
from tests.governance.contracts.documents import ALWAYS, document, pre

TEXT = document(pre(ALWAYS))


def messages(text: str, **known):
    return [
        (each.severity, each.line, each.column, each.words, each.fix)
        for each in check_text(text, **known).problems
    ]


def test_a_valid_text_has_no_messages():
    checked = check_text(TEXT)
    assert (checked.problems, checked.worst) == ((), None)
    assert [(rule.id, rule.type) for rule in checked.rules or ()] == [("a", "pre")]
    assert (checked.name, checked.dialect) == ("d", Dialect.NEW)


def test_a_mistake_stands_at_its_exact_words_with_what_to_write_instead():
    text = TEXT.replace("action: block", "acton: block")
    column = text.split("\n")[6].index("acton") + 1
    assert messages(text) == [("error", 7, column, "acton", "action")]


def test_a_value_that_cannot_stand_has_its_answer_too():
    assert messages(TEXT.replace("enforce", "enforced"))[0][3:] == ("enforced", "enforce")
    assert messages(TEXT.replace("action: block", "action: deny"))[0][3:] == ("deny", "block")


def test_a_tool_that_was_never_seen_is_a_warning_where_tools_are_known():
    text = TEXT.replace("tool: '*'", "tool: http_fetch")
    assert messages(text) == []
    assert messages(text, tools={"http_fetcher", "search"})[0][3:] == ("http_fetch", "http_fetcher")
    assert check_text(text, tools={"search"}).worst == "warning"


def test_a_text_that_is_no_yaml_has_an_error_and_no_outline():
    checked = check_text("rules: [")
    assert (checked.worst, checked.rules, checked.dialect) == ("error", None, None)


def test_merge_markers_are_reported_as_such():
    both = merge(
        TEXT,
        TEXT.replace("enforce", "observe"),
        TEXT.replace("{mode: enforce}", "{mode: enforce }"),
        mine_is="your draft",
        theirs_is="v2",
    )
    checked = check_text(both.text)
    assert (checked.errors, checked.problems[0].line) == (1, 4)
    assert "keep what is right" in checked.problems[0].message


def test_a_line_is_reported_once():
    rule = "{id: s, type: session, limits: {max_attempts: 50}, then: {action: block, message: m}}"
    assert [each.words for each in check_text(document(rule)).problems] == ["50"]
