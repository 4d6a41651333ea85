"""Problems of a contract: position, text and fix."""

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


def test_a_valid_contract_has_no_problems():
    checked = check_text(TEXT)
    assert (checked.problems, checked.worst) == ((), None)
    assert [(rule.id, rule.type) for rule in checked.rules or ()] == [("a", "pre")]
    assert (checked.name, checked.dialect) == ("d", Dialect.NEW)


def test_a_mistyped_key_is_reported_at_its_position_with_a_fix():
    text = TEXT.replace("action: block", "acton: block")
    column = text.split("\n")[6].index("acton") + 1
    assert messages(text) == [("error", 7, column, "acton", "action")]


def test_an_invalid_value_is_reported_with_a_fix():
    assert messages(TEXT.replace("enforce", "enforced"))[0][3:] == ("enforced", "enforce")
    assert messages(TEXT.replace("action: block", "action: deny"))[0][3:] == ("deny", "block")


def test_an_unseen_tool_is_a_warning_if_a_tool_list_is_available():
    text = TEXT.replace("tool: '*'", "tool: http_fetch")
    assert messages(text) == []
    assert messages(text, tools={"http_fetcher", "search"})[0][3:] == ("http_fetch", "http_fetcher")
    assert check_text(text, tools={"search"}).worst == "warning"


def test_invalid_yaml_has_an_error_and_no_outline():
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


def test_overlapping_problems_on_a_line_are_reported_once():
    rule = "{id: s, type: session, limits: {max_attempts: 50}, then: {action: block, message: m}}"
    assert [each.words for each in check_text(document(rule)).problems] == ["50"]
