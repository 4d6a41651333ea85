"""Outline of a document: its rules with line numbers."""

from governance.texts.document import read_document
from governance.texts.outline import OutlinedRule, outline

TEXT = """\
apiVersion: edictum/v1
kind: Ruleset
rules:
  # The first one.
  - id: a
    type: pre
    tool: fetch
    then:
      message: >
        Two
        lines.

  # The second one.
  - {id: b, type: session,
     limits: {max_tool_calls: 5}}

  - id: c
    type: sandbox
    tools: [read, write]
"""


def test_a_rule_ends_before_the_comment_of_the_next_one():
    assert outline(read_document(TEXT)) == (
        OutlinedRule("a", "pre", "fetch", 5, 11),
        OutlinedRule("b", "session", "", 14, 15),
        OutlinedRule("c", "sandbox", "read, write", 17, 19),
    )


def test_the_outline_does_not_depend_on_format_or_line_endings():
    document = read_document(TEXT)
    assert outline(read_document(document.twin)) == outline(document)
    assert outline(read_document(TEXT.replace("\n", "\r\n"))) == outline(document)


def test_an_incomplete_rule_is_in_the_outline():
    text = "rules:\n  - id: a\n  - type: pre\n  - 5\n  -"
    assert outline(read_document(text)) == (
        OutlinedRule("a", "", "", 2, 2),
        OutlinedRule("", "pre", "", 3, 3),
        OutlinedRule("", "", "", 4, 4),
        OutlinedRule("", "", "", 5, 5),
    )
    assert outline(read_document("rules: 5")) == ()
