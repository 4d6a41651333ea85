"""Runs exported modules as agents do: Python in a separate interpreter, TypeScript under Node.

All questions go through one process per language, one line each.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from governance.checks.language.exports import matcher_text, typescript_matcher_text
from governance.checks.language.matcher import Judge
from governance.matching.call import TEXT, WORK

LONGEST = 120  # maximum seconds for one process


class Question(NamedTuple):
    module: int
    tool: str
    result: str  # as JSON, so that each language parses it itself


class Answer(NamedTuple):
    verdict: str
    rule: str
    selector: str
    value: Any
    reason: str
    labels: list[str]
    cut: bool
    success: bool


_PYTHON = """
import importlib.util, json, sys

def loaded(number):
    spec = importlib.util.spec_from_file_location(f"m{number}", f"m{number}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

modules = {}
for line in sys.stdin:
    number, tool, text = json.loads(line)
    if number not in modules:
        modules[number] = loaded(number)
    result = json.loads(text)
    said = modules[number].explain(tool, result)
    print(json.dumps([*said, modules[number].success_check(tool, result)]))
"""

_NODE = """
import { createInterface } from "node:readline";

const modules = new Map();
for await (const line of createInterface({ input: process.stdin })) {
  const [number, tool, text] = JSON.parse(line);
  if (!modules.has(number)) modules.set(number, await import(`./m${number}.mjs`));
  const { explain, success_check: successCheck } = modules.get(number);
  const result = JSON.parse(text);
  const said = explain(tool, result);
  const { verdict, rule, selector, value, reason, labels, cut } = said;
  const all = [verdict, rule, selector, value, reason, labels, cut, successCheck(tool, result)];
  console.log(JSON.stringify(all));
}
"""


def by_python(folder: Path, modules: Sequence[str], questions: Sequence[Question]) -> list[Answer]:
    """Verdicts of Python modules, run without this checkout on the path."""
    for number, module in enumerate(modules):
        (folder / f"m{number}.py").write_text(module, encoding="utf-8")
    (folder / "ask.py").write_text(_PYTHON)
    return _answers([sys.executable, "-I", "ask.py"], folder, questions)


def by_node(folder: Path, modules: Sequence[str], questions: Sequence[Question]) -> list[Answer]:
    for number, module in enumerate(modules):
        (folder / f"m{number}.mjs").write_text(javascript(module), encoding="utf-8")
    (folder / "ask.mjs").write_text(_NODE)
    return _answers([node(), "ask.mjs"], folder, questions)


def node() -> str:
    program = shutil.which("node")
    return program or pytest.skip("Node is not installed: nothing here can run TypeScript.")


def _answers(command: list[str], folder: Path, questions: Sequence[Question]) -> list[Answer]:
    lines = "".join(json.dumps(each) + "\n" for each in questions)
    run = subprocess.run(
        command,
        cwd=folder,
        input=lines,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-4_000:]
    answers = [Answer(*json.loads(line)) for line in run.stdout.split("\n") if line]
    assert len(answers) == len(questions)
    return answers


_ATOM = (
    r"(?:[A-Z]\w*(?:<[^<>()]*>)?|string|number|boolean|void|unknown|object|undefined|null|any)"
    r'(?:\["\w+"\])?(?:\[\])*'
)
_TYPE = rf"(?:value is Members|\[unknown, unknown\]\[\]|{_ATOM}(?: \| {_ATOM})*)"


def javascript(module: str) -> str:
    """Source without its types, for Node before 23.6, which cannot run TypeScript itself.

    The literal of the check is left unchanged, whatever it contains.
    """
    before, literal, after = re.split(r'(?m)^(    ".*",)$', module)
    return without_types(before) + literal + without_types(after)


def without_types(text: str) -> str:
    text = re.sub(r"(?ms)^(?:export )?interface .*?^\}\n", "", text)
    text = re.sub(r"(?ms)^(?:export )?type .*?;(?: //[^\n]*)?\n", "", text)
    text = re.sub(rf" as {_TYPE}", "", text)
    return re.sub(rf"(?<=[\w)\]])\??: {_TYPE}(?=[,)=; ])", "", text)


class Limits(NamedTuple):
    work: int = WORK
    text: int = TEXT


def limited_build(limits: Limits) -> Callable[[Any], Judge]:
    """Matcher of an exported module, with other limits."""
    names: dict[str, Any] = {"__name__": "exported"}
    exec(matcher_text(), names)  # noqa: S102 - as an agent imports it
    names["Call"].left, names["TEXT"] = limits
    build: Callable[[Any], Judge] = names["build"]
    return build


class NodeMatcher:
    """The matcher itself under Node, for checks created while it runs."""

    def __init__(self, folder: Path) -> None:
        text = without_types(typescript_matcher_text())
        text = re.sub(r"(?m)^const (WORK|TEXT) =", r"let \1 =", text)
        (folder / "matcher.mjs").write_text(f"{text}\nexport {{ build, plain }};\n{_LIMIT}")
        (folder / "serve.mjs").write_text(_SERVE)
        self._process = subprocess.Popen(
            [node(), "serve.mjs"],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def judged(
        self,
        compiled: Any,
        calls: Sequence[tuple[str, str, float | None]],
        limits: Limits = Limits(),  # noqa: B008 - a tuple
    ) -> list[Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([compiled, calls, limits]) + "\n")
        self._process.stdin.flush()
        answers: list[Any] = json.loads(self._process.stdout.readline())
        return answers

    def close(self) -> None:
        self._process.communicate(timeout=LONGEST)


_LIMIT = "export const limit = (work, text) => { WORK = work; TEXT = text; };"
_SERVE = """
import { createInterface } from "node:readline";
import { build, limit, plain } from "./matcher.mjs";

for await (const line of createInterface({ input: process.stdin })) {
  const [compiled, calls, [work, text]] = JSON.parse(line);
  limit(work, text);
  const judge = build(compiled);
  const said = calls.map(([tool, text, elapsed]) => {
    const result = plain(JSON.parse(text), []);
    const { verdict, rule, selector, value, reason, labels, cut } = judge(
      ...[tool, result, elapsed === null ? undefined : elapsed],
    );
    return [verdict, rule, selector, value, reason, labels, cut];
  });
  console.log(JSON.stringify(said));
}
"""
