"""Runs a fragment of Python from the docs: `python fragment.py FILE`.

It supports top-level `await`, and names that a reader of the page has: those below, and those of
earlier fragments. A comment that is a value, after an expression, is the expected result.
"""

import ast
import asyncio
import builtins
import inspect
import json
import os
import re
import sys
import tokenize
from pathlib import Path
from typing import Any

GIVEN = {
    "KEY": 'import os; KEY = os.environ["KEY"]',
    "asyncio": "import asyncio",
    "Edictum": "from edictum import Edictum",
    "Console": "from edictum_site_client import Console",
    "default_check": "from edictum_site_client import default_check",
    "console": 'console = Console(os.environ["SITE"], api_key=KEY, agent_id=os.environ["AGENT"])',
    "guard": 'guard = Edictum.from_yaml("contract.yaml", **console.guard_options())',
    "crm_lookup": "def crm_lookup(account): return {'status': 200, 'account': account}",
    "bank": "import types; bank = types.SimpleNamespace(balance=float, ask=float)",
    "iban": "iban = '7'",
    "my_masking": "def my_masking(tool, value): return value",
}
NEEDS = {"console": ["KEY", "Console"], "guard": ["Edictum", "console"]}


def main() -> None:
    sys.path.insert(0, "")  # modules that the docs wrote into this folder
    text = Path(sys.argv[1]).read_text()
    tree = ast.parse(text)
    names: dict[str, Any] = {"__name__": "__main__", "claimed": claimed}
    for name in missing(tree):
        exec(GIVEN[name], names)  # noqa: S102 - written above
    claims = claims_in(text)
    for number, statement in enumerate(tree.body):
        if isinstance(statement, ast.Expr) and statement.end_lineno in claims:
            call = ast.parse(f"claimed(0, {claims[statement.end_lineno]!r})", mode="eval").body
            assert isinstance(call, ast.Call)
            call.args[0] = statement.value
            tree.body[number] = ast.copy_location(ast.Expr(call), statement)
    ast.fix_missing_locations(tree)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    done = eval(compile(tree, sys.argv[1], "exec", flags), names)  # noqa: S307 - a page of ours
    asyncio.run(end(done, names))


async def end(done: Any, names: dict[str, Any]) -> None:
    """End a fragment: await its result, and close its guard and its console."""
    if inspect.isawaitable(done):
        await done
    if "guard" in names:
        await names["guard"].close()
    if "console" in names:
        names["console"].close()


def missing(tree: ast.Module) -> list[str]:
    """Names that the fragment reads but never assigns, in dependency order."""
    rows = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    written = {node.id for node in rows if not isinstance(node.ctx, ast.Load)}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            written.add(node.name)
        elif isinstance(node, ast.arg):
            written.add(node.arg)
        elif isinstance(node, ast.alias):
            written.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            written.add(node.name)
    read = {node.id: None for node in rows if isinstance(node.ctx, ast.Load)}
    listed = [name for name in read if name not in written and not hasattr(builtins, name)]
    unknown = [name for name in listed if name not in GIVEN]
    if unknown:
        raise SystemExit(f"{unknown} is neither in the fragment nor in GIVEN of {__file__}")
    given: dict[str, None] = {}
    for name in listed:
        for needed in needs_of(name):
            given.setdefault(needed)
    return list(given)


def needs_of(name: str) -> list[str]:
    return [each for need in NEEDS.get(name, []) for each in needs_of(need)] + [name]


def claims_in(text: str) -> dict[int | None, str]:
    """Comments that state a value, by line: a literal, or `Name(field=literal, …)`."""
    lines = iter(text.splitlines(keepends=True))
    claims: dict[int | None, str] = {}
    for token in tokenize.generate_tokens(lambda: next(lines, "")):
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip():
            words = re.sub(r",? *…\)$", ")", token.string.lstrip("# "))
            if re.match(r"[\"'{\[\d]|\w+\(|(True|False|None)$", words):
                ast.parse(words, mode="eval")  # whatever resembles a value must be one
                claims[token.start[0]] = words
    return claims


def claimed(value: Any, words: str) -> None:
    node = ast.parse(words, mode="eval").body
    if isinstance(node, ast.Call):
        assert type(value).__name__ == ast.unparse(node.func), f"{value!r} is no {words}"
        fields = {each.arg: ast.literal_eval(each.value) for each in node.keywords}
        real = {name: getattr(value, name or "") for name in fields}
    else:
        fields, real = ast.literal_eval(words), value
    if fields != real:
        raise SystemExit(f"the page says {fields!r}, and it is {real!r}")
    sys.stdout.write(f"claim {json.dumps(words)} holds\n")


if __name__ == "__main__":
    os.environ.setdefault("AGENT", "a-fragment")
    main()
