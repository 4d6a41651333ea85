"""Changes between two versions of a check, by meaning."""

from governance.checks.authoring.meaning import check_changes

TEXT = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: mine}
otherwise: default
include: [http]
rules:
  - id: not-ok
    when: {result.ok: {equals: false}}
    verdict: failure
  - id: slow
    tool: "query_*"
    when: {all: [{elapsed_ms: {gt: 2000}}, {result.rows: {empty: true}}]}
    verdict: unknown
  - id: bulk
    tool: bulk_import
    when: {"result.items[*].error": {any_item: {exists: true}}}
    verdict: failure
    label: partial
examples:
  - {result: {ok: false}, verdict: failure}
"""


def changes(*exchanged, text=TEXT):
    after = text
    for was, now in exchanged:
        assert was in after
        after = after.replace(was, now, 1)
    changes = check_changes(text, after)
    assert changes is not None
    return [str(change) for change in changes]


def test_formatting_comments_and_explicit_defaults_are_not_changes():
    assert changes(("{equals: false}}", "{equals: false}}  # Slack's")) == []
    assert changes(("tool: bulk_import", 'tool: "bulk_import"')) == []
    assert changes(("  - id: not-ok\n", '  - id: not-ok\n    tool: "*"\n')) == []


def test_a_rule_added_or_removed_is_described():
    rule = """\
  - id: bulk
    tool: bulk_import
    when: {"result.items[*].error": {any_item: {exists: true}}}
    verdict: failure
    label: partial
"""
    words = "`bulk_import`: failure when an item of `result.items[*].error` exists"
    assert changes((rule, "")) == [f"removed rule `bulk`: {words}, labelled partial"]
    assert changes(("rules:\n", f"rules:\n{rule}"), text=TEXT.replace(rule, "")) == [
        f"added rule `bulk`: {words}, labelled partial"
    ]


def test_a_changed_rule_is_described_with_old_and_new_values():
    assert changes(("verdict: unknown", "verdict: failure\n    reason: Too slow")) == [
        "rule `slow`, verdict: unknown → failure",
        "rule `slow`, reason: none → Too slow",
    ]
    assert changes(('"query_*"', '"*"')) == ["rule `slow`, tool: `query_*` → every tool"]
    assert changes(("label: partial", "label: retryable")) == [
        "rule `bulk`, label: partial → retryable"
    ]


def test_a_condition_is_described_as_precisely_as_possible():
    assert changes(("{gt: 2000}", "{gt: 5000}")) == ["rule `slow`, `elapsed_ms` >: 2000 → 5000"]
    assert changes(("{exists: true}", "{exists: false}")) == [
        "rule `bulk`, condition: an item of `result.items[*].error` exists"
        " → an item of `result.items[*].error` doesn't exist"
    ]
    assert changes(("{equals: false}", "{equals: 0}")) == [
        "rule `not-ok`, `result.ok` is: false → 0"
    ]


def test_order_changes_are_reported_only_for_rules_that_can_overlap():
    rules = TEXT.split("  - id: ")
    swapped = [rules[0], rules[2], rules[1], rules[3]]
    assert changes((TEXT, "  - id: ".join(swapped))) == [
        "rule `slow`, place: tried after `not-ok` → tried before `not-ok`"
    ]
    end = rules[3].index("examples:")
    apart = [rules[0], rules[1], rules[3][:end], rules[2] + rules[3][end:]]
    assert changes((TEXT, "  - id: ".join(apart))) == []


def test_a_change_outside_the_rules_is_described_once():
    assert changes(
        ("otherwise: default", "otherwise: failure"), ("[http]", "[http, json-rpc]")
    ) == [
        "the document, when no rule matches: default → failure",
        "the document, includes, in this order: `http` → `http`, `json-rpc`",
    ]
    example = "  - {result: {ok: false}, verdict: failure}\n"
    assert changes((example, example + "  - {result: null, verdict: success}\n")) == [
        "the document: its examples: 1 added"
    ]


def test_a_renamed_rule_is_not_reported_as_a_new_rule():
    assert changes(("id: not-ok", "id: refused")) == ["rule `refused`, id: `not-ok` → `refused`"]


def test_an_invalid_check_has_no_described_changes():
    assert check_changes(TEXT, TEXT + "]") is None
