"""Exported checks convert results to the same values that the console receives."""

import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import subprocess
import uuid
from collections import OrderedDict, UserDict, deque
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import pytest
from edictum_site_client.masking import Masking
from edictum_site_client.values import jsonable
from pydantic import BaseModel

from governance.checks.language.exports import typescript_matcher_text
from governance.checks.language.matcher import plain
from tests.governance.checks.language.exported import node, without_types


class Row(NamedTuple):
    name: str
    many: int


@dataclasses.dataclass
class Answer:
    status: int
    rows: tuple[Row, ...] = ()


class Message(BaseModel):
    content: str
    sent: datetime.date | None = None


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class Text(str):
    __slots__ = ()


class Broken(UserDict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("not now")


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("not now")


VALUES = [
    *(None, True, 5, -0.5, "text", "", [], {}, [None, [1, {"a": "b"}]], {"a": {"b": [1, 2]}}),
    *(
        (1, "two"),
        {3},
        frozenset([4]),
        range(3),
        b"bytes",
        bytearray(b"\xff\x00"),
        memoryview(b"m"),
    ),
    *(float("inf"), float("nan"), decimal.Decimal("1.50"), 2**60, complex(1, 2)),
    *(datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC), datetime.date(2026, 1, 2)),
    *(
        datetime.time(3, 4),
        datetime.timedelta(seconds=3),
        uuid.UUID(int=5),
        pathlib.PurePosixPath("a"),
    ),
    *(
        Row("a", 1),
        Answer(500, (Row("a", 1),)),
        Message(content="x"),
        Colour.RED,
        Level.HIGH,
        Text("t"),
    ),
    *(OrderedDict(a=1), UserDict({"a": 1}), MappingProxyType({"a": (1,)}), {1: "one", None: 2}),
    *(ValueError("no"), SimpleNamespace(a=1), Broken(a=1), Mute(), deque([1]), int, Answer, len),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_an_exported_check_converts_results_as_the_console_receives_them(value):
    sent = jsonable("tool", value, Masking())
    assert plain(value) == sent
    assert plain({"inside": [value]}) == {"inside": [sent]}


def test_circular_and_deep_values_are_converted():
    circle: dict[str, Any] = {"a": 1}
    circle["self"] = [circle]
    deep: list[Any] = []
    for _ in range(10_000):
        deep = [deep]
    for value in (circle, deep):
        assert plain(value) == jsonable("tool", value, Masking())


OF_JAVASCRIPT = """
class Row { name = "a"; #secret = 1; get computed() { return 2; } }
const circle = { a: 1 };
circle.self = [circle];
let deep = [];
for (let level = 0; level < 1000; level += 1) deep = { deep };
const refuses = { get a() { throw new Error("not now"); } };
const values = [
  [null, null], [undefined, null], [() => 1, null], [Symbol("s"), null], [NaN, null],
  [-Infinity, null], [true, true], ["text", "text"], [10n, 10], [-0, 0],
  [[1, undefined, [2]], [1, null, [2]]], [new Array(2), [null, null]],
  [{ a: undefined, b: () => 1, c: null, [Symbol("s")]: 1 }, { c: null }],
  [new Map([["a", new Set([1, 2])], [5, "x"]]), { a: [1, 2], 5: "x" }],
  [new Date(0), "1970-01-01T00:00:00.000Z"], [new TypeError("no"), "TypeError: no"],
  [{ toJSON: () => ({ a: new Map() }) }, { a: {} }], [new Row(), { name: "a" }],
  [new String("t"), "t"], [new Number(1), 1], [new Boolean(false), false],
  [circle, { a: 1, self: ["[circular]"] }], [{ a: refuses }, { a: "[object]" }],
  [JSON.parse('{"__proto__": [1]}').__proto__, [1]],
];
for (const [value, expected] of values) {
  console.log(JSON.stringify([plain(value, []), expected]));
}
const cut = JSON.stringify(plain(deep, [])).endsWith('"[dict]"' + "}".repeat(64));
console.log(JSON.stringify([cut, true]));
"""


def test_javascript_values_convert_as_json_does(tmp_path: pathlib.Path):
    text = without_types(typescript_matcher_text()) + OF_JAVASCRIPT
    (tmp_path / "values.mjs").write_text(text)
    command = [node(), "values.mjs"]
    completed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    pairs = [json.loads(line) for line in completed.stdout.splitlines()]
    assert len(pairs) == 25
    for seen, expected in pairs:
        assert seen == expected
