"""Checks that people write in Python today, rewritten as named checks with the same verdicts."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from governance.checks.domain import default_check
from governance.checks.language.named import NamedCheck
from governance.checks.language.text import check_text
from governance.core.verdict import Verdict

RESULTS = 10_000
LEAST = 900  # of each verdict, so that agreement is not by chance
LONGEST = 12  # lines


def fails_by_http_status(tool: str, result: Any) -> bool:
    if not tool.startswith("http_") or not isinstance(result, dict):
        return True
    for key in ("status", "status_code", "statusCode"):
        status = result.get(key)
        if status is not None:
            is_number = isinstance(status, (int, float)) and not isinstance(status, bool)
            return not (is_number and status >= 400)
    return True


HTTP_STATUS = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: http-status}
otherwise: success
rules:
  - id: status
    tool: "http_*"
    when: {"result.status ?? result.status_code ?? result.statusCode": {gte: 400}}
    verdict: failure
    reason: "HTTP {value}"
"""


def fails_by_empty_rows(tool: str, result: Any) -> bool:
    if tool == "query_users" and isinstance(result, dict) and "rows" in result:
        rows = result["rows"]
        if rows is None or (isinstance(rows, (str, list, dict)) and not rows):
            return False
    return default_check(result).verdict is Verdict.SUCCESS


EMPTY_ROWS = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: found-users}
otherwise: default
rules:
  - id: no-rows
    tool: query_users
    when: {result.rows: {empty: true}}
    verdict: failure
"""


def fails_by_any_format(tool: str, result: Any) -> bool:
    if result is None:
        return False
    if isinstance(result, dict) and result.get("ok") is False:
        return False
    return not (isinstance(result, str) and "Traceback" in result)


EVERY_FORMAT = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: unified}
otherwise: success
rules:
  - {id: nothing, when: {result: {type: "null"}}, verdict: failure}
  - {id: not-ok, when: {result.ok: {equals: false}}, verdict: failure}
  - {id: traceback, when: {result: {contains: Traceback}}, verdict: failure}
"""


def below_400(tool: str, result: Any) -> bool:
    return result.get("status", 200) < 400  # type: ignore[no-any-return]  # as it is written


# A result without `get`, or a non-numeric status, raises: an agent counts that as a failure.
BELOW_400 = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: below-400}
otherwise: failure
rules:
  - {id: no-object, when: {not: {result: {type: object}}}, verdict: failure}
  - id: below
    when: {any: [{result.status: {lt: 400}}, {result.status: {type: bool}}]}
    verdict: success
  - id: without
    when: {not: {any: [{result.status: {exists: true}}, {result.status: {type: "null"}}]}}
    verdict: success
"""


@dataclass(frozen=True)
class Written:
    text: str
    function: Callable[[str, Any], bool]

    def function_says(self, tool: str, result: Any) -> bool:
        try:
            return self.function(tool, result)
        except (AttributeError, TypeError):
            return False


WRITTEN = {
    "an HTTP status": Written(HTTP_STATUS, fails_by_http_status),
    "rows that are empty, of one tool": Written(EMPTY_ROWS, fails_by_empty_rows),
    "one place for every format": Written(EVERY_FORMAT, fails_by_any_format),
    "a status below 400": Written(BELOW_400, below_400),
}

TOOLS = ("http_get", "http_post", "http_put", "https", "query_users", "query_users")
KEYS = ("status", "status_code", "statusCode", "ok", "rows", "is_error", "message")
FINE = (100, 200, 204, 302, 399, 399.5, -1, "500")
NOT_FINE = (400, 400.5, 401, 404, 429, 500, 503, 2**60)
TEXTS = (
    "",
    "fine",
    "Error: no row",
    "an Error: x",
    "fatal: x",
    "Traceback (most recent call last):",
    "the Traceback said",
    "traceback",
)


def some_result(random: Random) -> Any:
    match random.randrange(10):
        case 0:
            return None
        case 1:
            return random.choice(TEXTS)
        case 2:
            return random.choice([True, False, 0, 1, 500, 404.5, [], [500], ["Traceback"]])
        case _:
            keys = random.sample(KEYS, random.randrange(7))
            return {key: some_field(random, key) for key in keys}


def some_field(random: Random, key: str) -> Any:
    if key.startswith("status") and random.random() < 0.8:
        return random.choice(FINE + NOT_FINE)
    if key == "rows" and random.random() < 0.8:
        return random.choice([[], [{"id": 1}], None, {}, "", 0, False])
    return random.choice([None, True, False, 0, 1, *TEXTS, [], {}, {"status": 500}])


@pytest.mark.parametrize("written", WRITTEN.values(), ids=list(WRITTEN))
def test_a_check_is_short_and_agrees_with_the_equivalent_function(written: Written):
    assert len(written.text.splitlines()) <= LONGEST
    checked = check_text(written.text, included=lambda name: None)
    assert [str(problem) for problem in checked.problems] == []
    assert checked.compiled is not None
    check = NamedCheck(checked.compiled)
    random = Random(9)  # noqa: S311 - to have the same results in each run
    counts: Counter[bool] = Counter()
    for _ in range(RESULTS):
        tool, result = random.choice(TOOLS), some_result(random)
        expected = written.function_says(tool, result)
        counts[expected] += 1
        judgement = check.judge(tool, result)
        assert (judgement.verdict is not Verdict.FAILURE) is expected, (tool, result, judgement)
    assert min(counts[True], counts[False]) >= LEAST, counts
