"""JSON Schema of a check, for editors and programs that only support that.

Generated from the parser's tables. Only the parser reports what a schema can't express, such as
invalid regular expressions and duplicate rule ids.
"""

from collections.abc import Sequence
from typing import Any, Final

from governance.checks.language import examples, fields, includes, rules, text
from governance.checks.language.operators import COMPARISONS, OPERATORS, OPTIONS, TYPES, Takes
from governance.checks.language.pattern_table import LONGEST as LONGEST_PATTERN
from governance.checks.language.reasons import LONGEST as LONGEST_REASON
from governance.checks.language.selectors import NAME

Schema = dict[str, Any]

_TEXT: Final[Schema] = {"type": "string"}
_NAME: Final[Schema] = {"type": "string", "pattern": f"^{fields.NAME}$"}
_PATTERN: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": LONGEST_PATTERN}

# Selector syntax as JavaScript regular expressions, which JSON Schema uses.
_QUOTED: Final = r'\."(?:[^"\\]|\\.)*"'
_INDEX: Final = r"\[-?[0-9]{1,9}\]"
_TO_ONE: Final = rf"(?:\.{NAME}|{_QUOTED}|{_INDEX})"
_STEP: Final = rf"(?:\.{NAME}|{_QUOTED}|{_INDEX}|\[\*\]|\.\*)"
_STEPS: Final = rf"{_STEP}*(?: *\| *json{_STEP}*){{0,2}}(?: *\| *text)?"
_FLAT: Final = "tool|elapsed_ms"


def _selector(alternative: str) -> str:
    return rf"(?:{alternative})(?: *\?\? *(?:{alternative}))*$"


_COSTLY: Final = "^" + _selector(f"result{_STEPS}|{_FLAT}")
_ITEM: Final = _selector(f"item{_STEPS}")
_MIXED: Final = _selector(f"item{_STEPS}|result{_TO_ONE}*|{_FLAT}")


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _object(properties: Schema, required: Sequence[str], **more: Any) -> Schema:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
        **more,
    }


def _list(items: Schema, *, most: int | None = None, least: int = 0) -> Schema:
    listed: Schema = {"type": "array", "items": items}
    if least:
        listed["minItems"] = least
    return listed if most is None else {**listed, "maxItems": most}


def _one_key(properties: Schema, **more: Any) -> Schema:
    """Object with exactly one of these keys."""
    return {"type": "object", "minProperties": 1, "maxProperties": 1, **properties, **more}


_OPERANDS: Final[dict[Takes, Schema]] = {
    Takes.TRUTH: {"type": "boolean"},
    Takes.VALUE: {},
    Takes.VALUES: _list({}, least=1),
    Takes.TEXT: _TEXT,
    Takes.TEXTS: _list(_TEXT, least=1),
    Takes.PATTERN: _PATTERN,
    Takes.PATTERNS: _list(_PATTERN, least=1),
    Takes.NUMBER: {"type": "number"},
    Takes.TYPE: {"enum": list(TYPES)},
    Takes.COMPARISON: _ref("comparison"),
    Takes.ITEM: _ref("about_item"),
    Takes.COUNT: _object({"when": _ref("about_item"), "is": _ref("comparison")}, ["when", "is"]),
}


def _operators(names: Sequence[str]) -> Schema:
    """Schema of one operator with its options."""
    return _object(
        {
            **{name: _OPERANDS[OPERATORS[name]] for name in names},
            **{option: {"type": "boolean"} for option in OPTIONS},
        },
        [],
        oneOf=[{"required": [name]} for name in names],
        dependentSchemas={
            option: {"anyOf": [{"required": [name]} for name in names if name in operators]}
            for option, operators in OPTIONS.items()
        },
    )


def _condition(name: str, leaves: Schema) -> Schema:
    combined = {
        "all": _list(_ref(name), least=1),
        "any": _list(_ref(name), least=1),
        "not": _ref(name),
    }
    return _one_key(
        {"properties": combined, "patternProperties": leaves, "additionalProperties": False}
    )


_OF_ITEMS: Final = (Takes.ITEM, Takes.COUNT)
_WITHOUT_ITEMS: Final = [name for name, takes in OPERATORS.items() if takes not in _OF_ITEMS]

_RULE: Final = _object(
    {
        "id": {
            **_NAME,
            "not": {"enum": list(rules.RESERVED)},
            "description": "Shown with every verdict of this rule.",
        },
        "tool": {
            "type": "string",
            "pattern": r"^[^\[\]{}|,]+$",
            "maxLength": rules.LONGEST_TOOL,
            "default": "*",
            "description": "Tools that this rule applies to: a glob with * and ?.",
        },
        "when": {
            **_ref("condition"),
            "description": "The condition under which this rule decides.",
        },
        "verdict": {"enum": list(rules.VERDICTS)},
        "reason": {
            "type": "string",
            "maxLength": LONGEST_REASON,
            "description": "Shown with the verdict; {value} and {result.message} show values.",
        },
        "label": {"enum": list(rules.LABELS), "description": "A label to filter by."},
    },
    ["id", "when", "verdict"],
)
_EXAMPLE: Final = _object(
    {
        "tool": {"type": "string", "default": ""},
        "result": {"description": "Output of the tool: any JSON value."},
        "verdict": {"enum": list(rules.VERDICTS)},
        "elapsed_ms": {"type": "number"},
    },
    ["result", "verdict"],
    description="An output with a known verdict. A failing example blocks saving.",
)

JSON_SCHEMA: Final = _object(
    {
        "apiVersion": {"const": text.API_VERSION},
        "kind": {"const": text.KIND},
        "metadata": _object(
            {
                "name": {**_NAME, "description": "The name that bindings and agents use."},
                "description": {"type": "string", "maxLength": text.LONGEST_DESCRIPTION},
            },
            ["name"],
        ),
        "otherwise": {
            "enum": list(text.OTHERWISE),
            "description": "Verdict when no rule matches; default uses the default check.",
        },
        "include": {
            **_list(_NAME, most=includes.MOST_INCLUDED),
            "uniqueItems": True,
            "description": "Other checks, whose rules run before these.",
        },
        "rules": {
            **_list(_ref("rule"), most=rules.MOST),
            "description": "Evaluated in order: the first match decides.",
        },
        "examples": _list(_ref("example"), most=examples.MOST),
    },
    ["apiVersion", "kind", "metadata", "otherwise"],
    **{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:edictum-site:success-check:v1",
        "title": "Success check",
        "description": "What the result of a tool means: success, failure or unknown.",
        "$defs": {
            "rule": _RULE,
            "example": _EXAMPLE,
            "condition": _condition("condition", {_COSTLY: _ref("operator")}),
            "item_condition": _condition(
                "item_condition",
                {
                    f"^{_ITEM}": _ref("operator"),
                    f"^(?!{_ITEM}){_MIXED}": _ref("operator_without_items"),
                },
            ),
            "about_item": {"anyOf": [_ref("operator"), _ref("item_condition")]},
            "operator": _operators(list(OPERATORS)),
            "operator_without_items": _operators(_WITHOUT_ITEMS),
            "comparison": _one_key(
                {
                    "properties": {name: {"type": "number"} for name in COMPARISONS},
                    "additionalProperties": False,
                }
            ),
        },
    },
)
