"""Valid checks, and results on which their rules sometimes decide.

Few keys and few values, so that conditions match often enough.
"""

from collections.abc import Mapping
from typing import Any

import yaml
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from governance.checks.language.operators import COMPARISONS, TYPES
from governance.checks.language.rules import LABELS, VERDICTS

Document = dict[str, Any]

KEYS = ("ok", "status", "error", "items", "rows", "a-b", "$x", "a b", 'q"\\', "é", "0", "")
BARE = ("ok", "status", "error", "items", "rows", "a-b", "$x")
TOOLS = ("http_get", "http_post", "query", "sh", "a?", "ä")
GLOBS = ("*", "http_*", "http_?et", "?", "*e*", "query", "a?")
TEXTS = (
    *("", "Error: no", "error", "ERROR", "ok", "500", "true", "null", "é", "É", "\U0001f600 ok"),
    *("line\nTraceback", "Traceback", "\t", '{"ok": false}', '[1, {"ok": null}]', '"\\"ok\\""'),
)
PATTERNS = (
    *("ok", "^ok$", "[Ee]rror", "^Traceback", r"\d{3}", r"\bok\b", "(a|b)*c", "é", ".", "^$", "x?"),
    *(r"[^\s]+", r"\.", "[[:alpha:]]", "(?:no|ok)$", "^.{1,3}$"),
)
NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    200,
    399.5,
    400,
    500,
    0.1,
    -0.0,
    1e-7,
    1.5,
    2**53,
    2**53 + 1,
    10**20,
    1e300,
)

characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.sampled_from(TEXTS) | st.text(characters, max_size=6)
numbers = (
    st.sampled_from(NUMBERS)
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(2**70), 2**70)
)
scalars = st.none() | st.booleans() | numbers | texts


def _grown(inner: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(KEYS) | st.text(characters, max_size=3), inner, max_size=4
    )


values = st.recursive(scalars, _grown, max_leaves=5)
# A tool's result: usually an object with keys that rules read.
results = st.recursive(scalars, _grown, max_leaves=12) | st.dictionaries(
    st.sampled_from(KEYS), st.recursive(scalars, _grown, max_leaves=6), max_size=5
)
elapsed = st.none() | st.floats(0, 1e6)


def _quoted(key: str) -> str:
    return '."' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'


keys = st.sampled_from(BARE).map(".{}".format) | st.sampled_from(KEYS).map(_quoted)
indexes = st.integers(-3, 3).map("[{}]".format)
ways = st.lists(keys | indexes | st.sampled_from(["[*]", ".*"]), max_size=3).map("".join)
cheap_ways = st.lists(keys | indexes, max_size=2).map("".join)


@st.composite
def paths(draw: st.DrawFn, base: str) -> str:
    """Selector steps of every kind, with at most two `|json` and `|text` last."""
    path = base + draw(ways)
    for _ in range(draw(st.integers(0, 2)) if draw(st.booleans()) else 0):
        path += draw(st.sampled_from(["|json", " | json"])) + draw(ways)
    return path + draw(st.sampled_from(["", "", "", "|text"]))


flat = st.sampled_from(["tool", "elapsed_ms"])
alternatives = paths("result") | paths("result") | flat
item_alternatives = paths("item")
mixed_alternatives = paths("item") | cheap_ways.map("result{}".format) | flat


def _joined(alternatives: SearchStrategy[str]) -> SearchStrategy[str]:
    several = st.lists(alternatives, min_size=2, max_size=3)
    return alternatives | alternatives | several.map(" ?? ".join)


selectors = _joined(alternatives)
item_selectors = _joined(item_alternatives)
mixed_selectors = _joined(mixed_alternatives)

fold: SearchStrategy[Mapping[str, Any]] = st.just({}) | st.just({}) | st.just({"ignore_case": True})
lines: SearchStrategy[Mapping[str, Any]] = st.just({}) | st.just({"multiline": True})
comparisons = st.sampled_from(COMPARISONS).flatmap(
    lambda op: st.fixed_dictionaries({op: st.integers(0, 4) | numbers})
)


def _operator(*names: str, value: SearchStrategy[Any]) -> SearchStrategy[Document]:
    return st.sampled_from(names).flatmap(lambda name: st.fixed_dictionaries({name: value}))


def _with(operator: SearchStrategy[Document], *options: SearchStrategy[Any]) -> Any:
    return st.tuples(operator, *options).map(
        lambda parts: {name: value for part in parts for name, value in part.items()}
    )


operators = st.one_of(
    _operator("exists", "empty", value=st.booleans()),
    _with(_operator("equals", "not_equals", value=values | texts), fold),
    _with(_operator("in", "not_in", value=st.lists(values, min_size=1, max_size=3)), fold),
    _with(_operator("contains", "starts_with", "ends_with", value=texts), fold),
    _with(_operator("contains_any", value=st.lists(texts, min_size=1, max_size=3)), fold),
    _with(_operator("matches", value=st.sampled_from(PATTERNS)), fold, lines),
    _with(
        _operator("matches_any", value=st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=2)),
        fold,
        lines,
    ),
    _operator("gt", "gte", "lt", "lte", value=numbers),
    _operator("type", value=st.sampled_from(TYPES)),
    _operator("length", value=comparisons),
)


def _combined(inner: SearchStrategy[Document]) -> SearchStrategy[Document]:
    several = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.fixed_dictionaries({"all": several}),
        st.fixed_dictionaries({"any": several}),
        st.fixed_dictionaries({"not": inner}),
    )


def _looking_at(
    selector: SearchStrategy[str], body: SearchStrategy[Any]
) -> SearchStrategy[Document]:
    return st.tuples(selector, body).map(lambda leaf: {leaf[0]: leaf[1]})


def _about_items(about: SearchStrategy[Document]) -> SearchStrategy[Document]:
    counted = st.fixed_dictionaries({"when": about, "is": comparisons})
    return st.one_of(
        _operator("any_item", "every_item", "no_item", value=about),
        _operator("count_items", value=counted),
    )


plain_item_conditions = st.recursive(
    _looking_at(mixed_selectors, operators), _combined, max_leaves=3
)
inner_items = operators | plain_item_conditions
item_conditions = st.recursive(
    _looking_at(mixed_selectors, operators)
    | _looking_at(item_selectors, _about_items(inner_items)),
    _combined,
    max_leaves=3,
)
on_items = _about_items(operators | item_conditions | _about_items(inner_items))
leaves = _looking_at(selectors, operators) | _looking_at(selectors, on_items)
conditions = st.recursive(leaves, _combined, max_leaves=4)

reason_parts = st.one_of(
    st.text(characters, max_size=5).map(lambda text: text.replace("{", "{{").replace("}", "}}")),
    st.just("{value}"),
    selectors.map("{{{}}}".format),
)
reasons = st.lists(reason_parts, max_size=3).map("".join)


@st.composite
def rules(draw: st.DrawFn, number: int) -> Document:
    rule: Document = {"id": f"rule-{number}"}
    if draw(st.booleans()):
        rule["tool"] = draw(st.sampled_from(GLOBS))
    rule["when"] = draw(conditions)
    rule["verdict"] = draw(st.sampled_from(VERDICTS))
    if draw(st.booleans()):
        rule["reason"] = draw(reasons)
    if draw(st.booleans()):
        rule["label"] = draw(st.sampled_from(LABELS))
    return rule


@st.composite
def documents(draw: st.DrawFn, *, most_rules: int = 4) -> Document:
    """Valid documents as plain values, without examples and includes."""
    metadata = {"name": draw(st.sampled_from(["unified", "a", "x-1_y"]))}
    if draw(st.booleans()):
        metadata["description"] = draw(texts)
    return {
        "apiVersion": "edictum-site/v1",
        "kind": "SuccessCheck",
        "metadata": metadata,
        "otherwise": draw(st.sampled_from([*VERDICTS, "default"])),
        "rules": [draw(rules(number)) for number in range(draw(st.integers(0, most_rules)))],
    }


class _Quoting(yaml.SafeDumper):
    """YAML writer that quotes every string, since YAML versions differ on plain ones."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


_Quoting.add_representer(
    str, lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
)


def as_yaml(document: Any, *, flow: bool | None = False) -> str:
    return str(yaml.dump(document, Dumper=_Quoting, default_flow_style=flow, sort_keys=False))
