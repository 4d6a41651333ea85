"""Exports a check as a file for agents: fixed source code plus the compiled check as a JSON
literal.

No string of a check is ever inserted into code. The literal is ASCII without line breaks, closing
quotes and angle brackets, so both languages read it as the same string and parse it as JSON.
"""

import ast
import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from governance import matching

# Each part after the ones it depends on.
_PYTHON_PARTS: Final = (
    "call",
    "canonical",
    "agents_values",
    "selectors",
    "patterns",
    "texts",
    "operators",
    "conditions",
    "globs",
)
_TYPESCRIPT_PARTS: Final = (
    "call",
    "values",
    "agents_values",
    "selectors",
    "texts",
    "operators",
    "conditions",
    "globs",
)
_ABOUT: Final = ("name", "version", "format")
_NO_WORD: Final = re.compile(r"[^A-Za-z0-9_-]")
_FOLDER: Final = Path(__file__).parent
_MATCHING: Final = Path(matching.__file__).parent
_OURS: Final = "governance."
_TYPESCRIPT_IMPORT: Final = re.compile(r'^import (?:type )?\{[^}]*\} from "\.{1,2}/[^"]*";\n', re.M)


def json_document(compiled: Mapping[str, Any]) -> bytes:
    """Identical bytes for the same check, in whatever order a database returns its keys."""
    return _json(compiled).encode()


def python_module(compiled: Mapping[str, Any]) -> str:
    return f'''{_header("#", compiled)}
"""A success check, exported from Edictum Site.

Pass `success_check` to an edictum guard; `explain` returns the rule that decided, and why.
Standard library only, Python 3.10 or newer. Generated: edit the check in the console instead.
"""

{matcher_text()}

__all__ = ["Explanation", "explain", "success_check"]

_JUDGE = build(
    json.loads(
        {_literal(compiled)}
    )
)


def success_check(tool_name: str, result: object) -> bool:
    return explain(tool_name, result).verdict != "failure"


def explain(tool_name: str, result: object) -> Explanation:
    return _JUDGE(tool_name, plain(result), None)
'''


def typescript_module(compiled: Mapping[str, Any]) -> str:
    return f"""{_header("//", compiled)}
//
// A success check, exported from Edictum Site.
// Give `successCheck` to a guard of edictum; `explain` tells which rule decided, and on what.
// Made by the console: save the check there to change it.

{typescript_matcher_text()}
const JUDGE: Judge = build(
  JSON.parse(
    {_literal(compiled)},
  ) as Compiled,
);

export function successCheck(toolName: string, result: unknown): boolean {{
  return explain(toolName, result).verdict !== "failure";
}}

export function explain(toolName: string, result: unknown): Explanation {{
  return JUDGE(toolName, plain(result, []));
}}

// By the name that it has in Python, too.
export {{ successCheck as success_check }};
export type {{ Explanation, Json }};
"""


@cache
def matcher_text() -> str:
    """The matcher and its parts as one Python module, with merged imports."""
    files = [_MATCHING / f"{name}.py" for name in _PYTHON_PARTS]
    plain_imports: set[str] = set()
    from_imports: dict[str, set[str]] = {}
    texts: list[str] = []
    for file in (*files, _FOLDER / "matcher.py"):
        text = file.read_text(encoding="utf-8")
        tree = ast.parse(text)
        lines = text.splitlines(keepends=True)
        left_out: set[int] = set()
        for place, node in enumerate(tree.body):
            match node:
                case ast.Import(names=names):
                    plain_imports |= {name.name for name in names}
                case ast.ImportFrom(module=str(module), names=names):
                    if not module.startswith(_OURS):
                        from_imports.setdefault(module, set()).update(each.name for each in names)
                case ast.Expr(value=ast.Constant()) if place == 0:
                    pass  # the module's docstring
                case ast.Assign(targets=[ast.Name(id="__all__")]):
                    pass  # the exported module has its own
                case _:
                    continue
            left_out |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        rest = (line for number, line in enumerate(lines, 1) if number not in left_out)
        texts.append("".join(rest).strip("\n"))
    imports = [f"import {name}" for name in sorted(plain_imports)] + [
        f"from {module} import {_sorted(names)}" for module, names in sorted(from_imports.items())
    ]
    return "\n\n\n".join(["\n".join(imports), *texts]) + "\n"


@cache
def typescript_matcher_text() -> str:
    files = [_MATCHING / f"{name}.ts" for name in _TYPESCRIPT_PARTS]
    texts = [file.read_text(encoding="utf-8") for file in (*files, _FOLDER / "matcher.ts")]
    joined = "\n".join(_TYPESCRIPT_IMPORT.sub("", text) for text in texts)
    return re.sub(r"^export (?=\w)", "", joined, flags=re.M)


def _sorted(names: Iterable[str]) -> str:
    """Constants before types, the import order used throughout."""
    return ", ".join(sorted(names, key=lambda name: (not name.isupper(), name)))


def _header(comment: str, compiled: Mapping[str, Any]) -> str:
    """Header comment with letters and digits only: even a comment can do harm, such as by declaring
    an encoding."""
    about = (f"{name} {_NO_WORD.sub('?', str(compiled[name]))}" for name in _ABOUT)
    return f"{comment} Success check: {', '.join(about)}."


def _literal(compiled: Mapping[str, Any]) -> str:
    return _ascii(json.dumps(_json(compiled)))


def _ascii(text: str) -> str:
    """Escape JSON so that it can't end a script tag or a template literal."""
    for letter in "<>`\x7f":
        text = text.replace(letter, f"\\u{ord(letter):04x}")
    return text


def _json(value: object) -> str:
    return json.dumps(
        value, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":")
    )
