"""Completions at each path of a check, for the editor.

Taken from the parser's own tables. A path is the keys above, with `*` for any list item: `rules/*`.
"""

from collections.abc import Mapping
from typing import Final

from governance.checks.language import examples, rules, text
from governance.checks.language.operators import COMBINED, OPERATORS, OPTIONS, TYPES, Takes

Words = Mapping[str, tuple[str, ...]]

_TRUTH: Final = ("true", "false")
_TYPES: Final = tuple(f'"{name}"' if name == "null" else name for name in TYPES)
KEYS: Final[Words] = {
    "": text.KEYS,
    "metadata": ("name", "description"),
    "rules/*": rules.KEYS,
    "examples/*": examples.KEYS,
}
VALUES: Final[Words] = {
    "apiVersion": (text.API_VERSION,),
    "kind": (text.KIND,),
    "otherwise": text.OTHERWISE,
    "rules/*/verdict": rules.VERDICTS,
    "rules/*/label": rules.LABELS,
    "examples/*/verdict": rules.VERDICTS,
}
CONDITIONS: Final = COMBINED
SELECTORS: Final = ("result", "result|json", "result|text", "tool", "elapsed_ms")
OPERATOR_NAMES: Final = (*OPERATORS, *OPTIONS)
OPERANDS: Final[Words] = {
    **{name: _TRUTH for name, takes in OPERATORS.items() if takes is Takes.TRUTH},
    **dict.fromkeys(OPTIONS, _TRUTH),
    **{name: _TYPES for name, takes in OPERATORS.items() if takes is Takes.TYPE},
}
