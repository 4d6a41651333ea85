"""Small checks for tests, and their problems."""

from typing import Any

from governance.checks.language.text import CheckedText, check_text
from governance.core.compiled_check import Compiled, Condition
from governance.core.errors import Problem

HEAD = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: mine}
otherwise: success
"""


def nothing_else(name: str) -> Compiled | None:
    """Lookup of a project without other checks."""
    return None


def read(rest: str, **more: Any) -> CheckedText:
    return check_text(HEAD + rest, included=nothing_else, **more)


def with_condition(condition: str) -> str:
    """A check whose condition starts at line 8, column 7."""
    return f"rules:\n  - id: first\n    when:\n      {condition}\n    verdict: failure\n"


def condition_of(condition: str) -> Condition:
    checked = read(with_condition(condition))
    assert checked.problems == ()
    assert checked.compiled
    return checked.compiled["rules"][0]["when"]


def only_problem(checked: CheckedText) -> Problem:
    (problem,) = checked.problems
    return problem
