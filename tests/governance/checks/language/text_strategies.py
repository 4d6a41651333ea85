"""Checks that read text, and results that contain it, for reading limits."""

import json
from typing import Any

from hypothesis import strategies as st

WORDS = ("a", "ab", "Ab", "bé", "\U0001f600", "ba\n", "[", "x")
texts = st.lists(st.sampled_from(WORDS), max_size=30).map("".join)
flat = st.one_of(texts, st.none(), st.integers(0, 3))
lists = st.lists(st.one_of(flat, st.lists(flat, max_size=4)), max_size=6)
objects = st.dictionaries(st.sampled_from(["a", "b"]), st.one_of(flat, lists), max_size=2)
values = st.one_of(texts, lists, objects)
text_results = st.one_of(values, st.one_of(lists, objects).map(json.dumps))
text_calls = st.lists(st.tuples(st.just("t"), text_results, st.none()), min_size=1, max_size=8)

OF_TEXT = ("contains", "starts_with", "ends_with", "equals", "not_equals")
SELECTORS = (
    *("result", "result.a", "result[0]", "result[-1]", "result|text", "result.b|text"),
    *("result[*]|text", "result.*|text", "result|json|text", "result|json.a", "result[*]|json.b"),
    *("result.a|json ?? result", "result.c ?? result|text"),
)
words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map("".join)
patterns = st.sampled_from(["a.*b", "b$", "^ab", "é|x", r"\[\S", "(ab)+a", "[^a]é"])


def tests_of_a_text() -> st.SearchStrategy[dict[str, Any]]:
    folding = st.sampled_from([{}, {"ignore_case": True}])
    searching = st.builds(
        lambda op, word, fold: {op: word, **fold}, st.sampled_from(OF_TEXT), words, folding
    )
    return st.one_of(
        searching,
        st.builds(lambda word, fold: {"contains_any": [word, "zz"], **fold}, words, folding),
        st.builds(lambda pattern, fold: {"matches": pattern, **fold}, patterns, folding),
        st.builds(lambda pattern: {"matches_any": [pattern, "x{3}"]}, patterns),
        st.builds(lambda word: {"in": [word, ["a"], None]}, words),
        st.builds(lambda number: {"length": {"gt": number}}, st.integers(0, 20)),
        st.sampled_from([{"exists": True}, {"exists": False}, {"empty": True}, {"type": "string"}]),
        st.sampled_from([{"equals": ["a"]}, {"not_equals": ["a", "ab"]}, {"not_in": [[], ["x"]]}]),
    )


check_by_text = tests_of_a_text()
of_list = st.one_of(
    st.builds(
        lambda op, test: {op: test},
        st.sampled_from(["any_item", "every_item", "no_item"]),
        check_by_text,
    ),
    st.builds(lambda test: {"count_items": {"when": test, "is": {"gte": 2}}}, check_by_text),
)
leaves = st.builds(
    lambda selector, test: {selector: test},
    st.sampled_from(SELECTORS),
    st.one_of(check_by_text, of_list),
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.builds(lambda each: {"not": each}, inner),
        st.builds(lambda each: {"all": each}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda each: {"any": each}, st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=4,
)
verdicts = st.sampled_from(["success", "failure", "failure", "unknown"])


def document_of(rules: list[tuple[dict[str, Any], str]], otherwise: str) -> dict[str, Any]:
    return {
        "apiVersion": "edictum-site/v1",
        "kind": "SuccessCheck",
        "metadata": {"name": "texts"},
        "otherwise": otherwise,
        "rules": [
            {"id": f"r{at}", "when": when, "verdict": verdict, "reason": "{value} {result|text}"}
            for at, (when, verdict) in enumerate(rules)
        ],
    }


text_documents = st.builds(
    document_of,
    st.lists(st.tuples(conditions, verdicts), min_size=1, max_size=3),
    st.sampled_from(["success", "failure", "default"]),
)
