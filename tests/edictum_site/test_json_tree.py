"""JSON values rendered as a tree, for any content."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from edictum_site.pages.json_tree import DEEPEST, LONG, json_tree

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_agent_text_is_escaped():
    html = json_tree({"<b>": "<script>alert(1)</script>"})
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;" in html


def test_a_lone_surrogate_is_displayed_as_its_escape():
    html = json_tree({"\ud800": ["\udfff é"]})
    assert html.encode()
    assert "\\ud800" in html
    assert "\\udfff" in html


def test_null_false_and_0_are_distinct():
    html = json_tree({"a": None, "b": False, "c": 0})
    assert '<span class="code-word">null</span>' in html
    assert '<span class="code-word">false</span>' in html
    assert '<span class="code-number">0</span>' in html


def test_objects_can_be_collapsed_without_javascript():
    html = json_tree({"rows": [1, 2]})
    assert html.count("<details open>") == 2
    assert "array, 2 items" in html


def test_an_empty_list_is_not_collapsible():
    assert "<details" not in json_tree([])


def test_a_long_text_is_collapsed_with_its_length_and_remains_complete():
    html = json_tree("x" * (LONG + 1_000))
    assert "Show all 1,400 characters" in html
    assert "x" * (LONG + 1_000) in html


def test_the_deciding_value_is_marked_and_its_ancestors_are_expanded():
    deep = {"a": {"b": {"c": {"d": {"ok": False}}}}}
    html = json_tree(deep, ["a", "b", "c", "d", "ok"])
    assert html.count("decided-value") == 1
    assert html.index("decided-value") > html.index("&quot;d&quot;")
    assert html.count("<details open>") == 5


def test_the_root_value_can_be_the_deciding_value():
    assert "decided-value" in json_tree(None, [])


def test_rendering_stops_at_the_maximum_depth():
    value: object = 1
    for _ in range(500):
        value = [value]
    html = json_tree(value)
    assert html.count("<details") == DEEPEST
    assert "deeper than this page shows" in html


@settings(max_examples=50)
@given(VALUES)
def test_any_value_renders_as_balanced_markup(value):
    html = json_tree(json.loads(json.dumps(value)))
    for element in ("details", "summary", "ul", "li", "span", "div"):
        assert html.count(f"<{element}>") + html.count(f"<{element} ") == html.count(
            f"</{element}>"
        )
