"""A JSON value as the tree that a page shows, whatever is in it."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from edictum_site.pages.json_tree import DEEPEST, LONG, json_tree

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_text_of_an_agent_never_becomes_markup():
    html = json_tree({"<b>": "<script>alert(1)</script>"})
    assert "<script>" not in html
    assert "<b>" not in html
    assert "&lt;script&gt;" in html


def test_a_lone_surrogate_is_written_as_its_escape():
    html = json_tree({"\ud800": ["\udfff é"]})
    assert html.encode()
    assert "\\ud800" in html
    assert "\\udfff" in html


def test_null_false_and_0_are_distinct():
    html = json_tree({"a": None, "b": False, "c": 0})
    assert '<span class="code-word">null</span>' in html
    assert '<span class="code-word">false</span>' in html
    assert '<span class="code-number">0</span>' in html


def test_an_object_opens_and_closes_without_script():
    html = json_tree({"rows": [1, 2]})
    assert html.count("<details open>") == 2
    assert "array, 2 items" in html


def test_an_empty_list_has_nothing_to_open():
    assert "<details" not in json_tree([])


def test_a_long_text_is_cut_with_its_length_and_still_complete():
    html = json_tree("x" * (LONG + 1_000))
    assert "Show all 1,400 characters" in html
    assert "x" * (LONG + 1_000) in html


def test_the_value_that_decided_is_marked_and_what_it_lies_in_stands_open():
    deep = {"a": {"b": {"c": {"d": {"ok": False}}}}}
    html = json_tree(deep, ["a", "b", "c", "d", "ok"])
    assert html.count("decided-value") == 1
    assert html.index("decided-value") > html.index("&quot;d&quot;")
    assert html.count("<details open>") == 5


def test_a_complete_value_can_decide():
    assert "decided-value" in json_tree(None, [])


def test_a_hostile_depth_is_drawn_only_so_far():
    value: object = 1
    for _ in range(500):
        value = [value]
    html = json_tree(value)
    assert html.count("<details") == DEEPEST
    assert "deeper than this page shows" in html


@settings(max_examples=50)
@given(VALUES)
def test_every_value_is_drawn_as_balanced_markup(value):
    html = json_tree(json.loads(json.dumps(value)))
    for element in ("details", "summary", "ul", "li", "span", "div"):
        assert html.count(f"<{element}>") + html.count(f"<{element} ") == html.count(
            f"</{element}>"
        )
