"""Rows of the shapes reference as results with their expected verdicts.

`python -m tests.governance.checks.language.shapes` regenerates the table in `docs/`.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from governance.checks.language.matcher import Judge, build
from governance.checks.language.shipped import shipped
from governance.checks.language.shipped.reference import ROWS

ROOT = Path(__file__).parents[4]
FIXTURES = ROOT / "tests" / "fixtures" / "shapes"
TABLE = ROOT / "docs" / "result-shapes.md"
KEYS = {"trap", "tool", "result", "elapsed_ms", "verdict", "rule", "label"}
NO_RULE = ("otherwise", "null")  # rules of the default check for unmatched results and for null


@dataclass(frozen=True)
class Shape:
    row: str
    check: str
    result: Any
    verdict: str
    rule: str
    label: str
    tool: str
    elapsed_ms: float | None
    trap: str

    def __str__(self) -> str:
        return f"{self.row} {self.check} {as_json(self.result)[:60]}"


def as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@cache
def shapes() -> tuple[Shape, ...]:
    """Shapes by row, in their original order within a row."""
    order = list(ROWS)
    return tuple(sorted(_written(), key=lambda shape: order.index(shape.row)))


def _written() -> Iterator[Shape]:
    for file in sorted(FIXTURES.glob("*.yaml")):
        for group in yaml.safe_load(file.read_text()):
            for each in group["results"]:
                assert each.keys() <= KEYS, each
                yield Shape(
                    row=group["row"],
                    check=group["check"],
                    result=each["result"],
                    verdict=each["verdict"],
                    rule=each.get("rule", "otherwise"),
                    label=each.get("label", ""),
                    tool=each.get("tool", "tool"),
                    elapsed_ms=each.get("elapsed_ms"),
                    trap=each.get("trap", ""),
                )


@cache
def judge_of(check: str) -> Judge:
    return build(shipped()[check])


_HEAD = """\
# Result shapes

How tools tell that something went wrong, and what the shipped success checks say of it. Written by
`make result-shapes` from `tests/fixtures/shapes`; a test runs each of these results through its
check and keeps this page equal to what was found. What a check is, and how rules are written:
[success.md](success.md).

Where no rule is named, none of the check caught the result, and the built-in check had the last
word. In *italics*: why a result is not what it looks like.
"""


def table() -> str:
    lines = [_HEAD, "| row | check | rule | result | verdict |", "|---|---|---|---|---|"]
    text = ""
    for shape in shapes():
        row = ROWS[shape.row]
        named = f"**{row.key}** {row.title}" if row.key != text else ""
        text = row.key
        rule = "" if shape.rule in NO_RULE else f"`{shape.rule}`"
        verdict = " ".join(filter(None, [shape.verdict, shape.label and f"· {shape.label}"]))
        lines.append(f"| {named} | `{shape.check}` | {rule} | {_shown(shape)} | {verdict} |")
    return "\n".join(lines) + "\n"


def _shown(shape: Shape) -> str:
    ticks = "``" if "`" in (text := as_json(shape.result)) else "`"
    parts = [f"{ticks}{text}{ticks}".replace("|", "\\|")]
    if shape.tool != "tool":
        parts.append(f"of `{shape.tool}`")
    if shape.elapsed_ms is not None:
        parts.append(f"after {shape.elapsed_ms:,} ms")
    if shape.trap:
        parts.append(f"*{shape.trap}*")
    return " ".join(parts)


if __name__ == "__main__":
    TABLE.write_text(table())
