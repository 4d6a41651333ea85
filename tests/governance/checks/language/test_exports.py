"""Exported modules: fixed code plus one literal that no text of a check can escape."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from edictum._runner import _default_success_check
from hypothesis import given

from governance.checks.language.exports import (
    json_document,
    matcher_text,
    python_module,
    typescript_module,
)
from governance.checks.language.named import DEFAULT_COMPILED
from governance.checks.language.text import check_text
from tests.governance.checks.language.exported import Question, by_node, by_python
from tests.governance.checks.language.strategies import as_yaml, documents, results

ROOT = Path(__file__).resolve().parents[4]
TYPESCRIPT = "typescript@5.9.3"
STRICT = (
    "--strict --noEmit --target es2020 --lib es2020 --module es2020 --isolatedModules"
    " --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noImplicitReturns"
    " --noFallthroughCasesInSwitch --noPropertyAccessFromIndexSignature --noUnusedLocals"
    " --noUnusedParameters --verbatimModuleSyntax --erasableSyntaxOnly"
)

# Each would escape from code, a string, a comment or a page.
ESCAPES = (
    *(
        '");globalThis.escaped=1;//',
        "'+__import__('os').abort()+'",
        '"""',
        "'''",
        "`",
        "${escape()}",
    ),
    *(
        "*/ escaped() /*",
        "</script><script>",
        "<!--",
        "\\",
        '\\"',
        "\\\\",
        "\\u0022",
        "\\x22",
        "\n",
    ),
    *(
        "\r",
        "\r\n",
        "\u2028",
        "\u2029",
        "\x00",
        "\x85",
        "\x0b",
        "\x1a",
        "\ud800",
        "\ufeff",
        "\u202e",
    ),
    *("\nimport os\nos.abort()\n#", "\nglobalThis.escaped = 1;\n//", "# -*- coding: utf-7 -*-"),
    *("+ACI-", "{escaped}", "%s", "#{1}", "\N{REPLACEMENT CHARACTER}", "😀", "\x7f", "__proto__"),
)

DOCUMENT: dict[str, Any] = {
    "apiVersion": "edictum-site/v1",
    "kind": "SuccessCheck",
    "metadata": {"name": "every-field"},
    "otherwise": "default",
    "rules": [
        {
            "id": "all",
            "tool": "tool*",
            "when": {
                "all": [
                    {
                        'result."key" ?? result.a[0].*|text': {
                            "contains": "text",
                            "ignore_case": True,
                        }
                    },
                    {"result.b": {"equals": {"name": ["value", 5]}}},
                    {"result.c": {"in": ["one", 1.5]}},
                    {"result.d": {"any_item": {"not": {"item.e": {"matches": "pattern"}}}}},
                    {"result.f": {"count_items": {"when": {"empty": True}, "is": {"gte": 3}}}},
                ]
            },
            "verdict": "failure",
            "reason": "because {value} {result.g}",
            "label": "partial",
        }
    ],
}


def compiled_of(document: dict[str, Any]) -> dict[str, Any]:
    checked = check_text(as_yaml(document), included=lambda name: None)
    assert checked.compiled is not None, checked.problems
    compiled: dict[str, Any] = json.loads(json.dumps(checked.compiled))
    return compiled


def replaced(value: Any, text: str) -> Iterator[Any]:
    """The value with one of its texts or names replaced, one result for each."""
    if isinstance(value, str):
        yield text
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from ([*value[:place], new, *value[place + 1 :]] for new in replaced(each, text))
    elif isinstance(value, dict):
        for name, each in value.items():
            yield {text if key == name else key: inner for key, inner in value.items()}
            yield from ({**value, name: new} for new in replaced(each, text))
    else:
        yield text


def parts_of(module: str) -> tuple[str, str, str]:
    """Header, literal and the rest of a module; the rest is the same in each."""
    header, rest = module.split("\n", 1)
    (literal,) = re.findall(r'(?m)^ +(".*"),?$(?=\n *\))', rest)
    return header, literal, rest.replace(literal, "")


@pytest.mark.parametrize("text", ESCAPES, ids=ascii)
@pytest.mark.parametrize("exported", [python_module, typescript_module])
def test_no_text_of_a_check_escapes_the_string_literal(exported, text):
    _, _, fixed = parts_of(exported(DEFAULT_COMPILED))
    hostile = [each for each in replaced(compiled_of(DOCUMENT), text) if each.keys() == FIELDS]
    assert len(hostile) > 40
    for check in hostile:
        header, literal, rest = parts_of(exported(check))
        assert rest == fixed
        words = "name W, version W, format W".replace("W", "[A-Za-z0-9_?-]*")
        assert re.fullmatch(rf"(#|//) Success check: {words}\.", header)
        # It contains no line break and no unescaped quote.
        assert literal.isascii()
        assert literal.isprintable()
        assert re.fullmatch(r'"(?:[^"\\<>`]|\\["\\]|\\u[0-9a-f]{4})*"', literal)
        assert json.loads(json.loads(literal)) == check
        assert json.loads(ast.literal_eval(literal)) == check


FIELDS = {"format", "name", "version", "otherwise", "automata", "rules"}


def test_modules_of_hostile_checks_only_return_verdicts(tmp_path):
    texts = [text for text in ESCAPES if text not in ("\x00", "\ud800")]
    checks = [{**compiled_of(DOCUMENT), "name": text} for text in texts]
    for check, text in zip(checks, texts, strict=True):
        (rule,) = check["rules"]
        check["rules"] = [{**rule, "id": text, "when": leaf(text), "reason": [text], "label": text}]
    items = [Question(place, "tool", json.dumps({text: text})) for place, text in enumerate(texts)]
    for answers in (
        by_python(tmp_path, [python_module(check) for check in checks], items),
        by_node(tmp_path, [typescript_module(check) for check in checks], items),
    ):
        calls = [
            (each.rule, each.selector, each.value, each.reason, each.labels) for each in answers
        ]
        assert calls == [(text, text, text, text, [text]) for text in texts]


def leaf(text: str) -> dict[str, Any]:
    select = [{"base": "result", "steps": [["key", text]]}]
    return {"select": select, "text": text, "op": "equals", "value": text}


@pytest.mark.slow
@given(documents())
def test_json_export_does_not_depend_on_key_order(document):
    compiled = compiled_of(document)
    turned = dict(reversed(compiled.items()))
    assert json_document(turned) == json_document(compiled)
    assert json.loads(json_document(compiled)) == compiled


def test_matcher_source_files_define_distinct_names():
    names = []
    for node in ast.parse(matcher_text()).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.append(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                names.append(name)
            case ast.ImportFrom(names=imported) | ast.Import(names=imported):
                names += [each.name for each in imported]
            case _:
                pass
    assert sorted(set(names)) == sorted(names)


def test_an_exported_module_imports_only_the_standard_library():
    imports = re.findall(r"(?m)^(?:from|import) ([\w.]+)", python_module(DEFAULT_COMPILED))
    assert {name.partition(".")[0] for name in imports} <= sys.stdlib_module_names


def test_exported_python_has_strict_types(tmp_path):
    (tmp_path / "check.py").write_text(python_module(compiled_of(DOCUMENT)))
    (tmp_path / "use.py").write_text(
        "from check import explain, success_check\n"
        "ok: bool = success_check('tool', {'ok': True})\n"
        "reason: str = explain('tool', None).reason\n"
    )
    command = [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.10", "use.py"]
    result = run([*command, "--config-file", os.devnull, "--cache-dir", os.devnull], tmp_path)
    assert result.returncode == 0, result.stdout


@pytest.mark.slow
def test_exported_typescript_has_strict_types(tmp_path):
    (tmp_path / "check.ts").write_text(typescript_module(compiled_of(DOCUMENT)))
    (tmp_path / "use.ts").write_text(
        'import { explain, success_check, successCheck, type Explanation } from "./check";\n'
        "export const ok: boolean = successCheck('tool', { ok: true });\n"
        "export const same: boolean = success_check('tool', { ok: true });\n"
        "export const said: Explanation = explain('tool', undefined);\n"
    )
    options = [*STRICT.split(), "--moduleResolution", "bundler"]
    program = run([shutil.which("node") or "node", str(compiler()), *options, "use.ts"], tmp_path)
    assert program.returncode == 0, program.stdout


def compiler() -> Path:
    """TypeScript's own compiler, cached; without it and a registry the test is skipped."""
    folder = ROOT / ".cache" / "typescript"
    path = folder / "node_modules" / "typescript" / "lib" / "tsc.js"
    npm = shutil.which("npm")
    if not path.is_file() and npm:
        folder.mkdir(parents=True, exist_ok=True)
        options = ["--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=0"]
        run([npm, "install", "--prefix", str(folder), *options, TYPESCRIPT], folder)
    if not path.is_file():
        pytest.skip(f"No registry of packages can be reached to install {TYPESCRIPT}")
    return path


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=200, check=False
    )


@given(results)
def test_the_exported_default_check_agrees_with_the_library(result):
    namespace: dict[str, Any] = MODULE
    assert namespace["success_check"]("tool", result) is _default_success_check("tool", result)


MODULE: dict[str, Any] = {"__name__": "exported"}
exec(python_module(DEFAULT_COMPILED), MODULE)  # noqa: S102 - as an agent imports it
