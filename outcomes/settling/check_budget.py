"""How long checks may think over what is settled together: calls of everybody wait for that."""

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from governance.checks.domain import DEFAULT, Judgement, SuccessCheck
from governance.checks.queries.selection import CannotJudge
from governance.core.json_value import Json

SECONDS_OF_A_CHECK: Final = 5.0  # of a processor, in one claim: a thousand slow results
SECONDS_OF_A_PROJECT: Final = 15.0


@dataclass(slots=True)
class _Spent:
    seconds: float = 0.0


class _Timed:
    """The check, as long as there is time for it."""

    def __init__(self, check: SuccessCheck, of_project: _Spent) -> None:
        self.name, self.version = check.name, check.version
        self._judge = check.judge
        self._spent, self._of_project = 0.0, of_project

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement:
        if self._spent > SECONDS_OF_A_CHECK or self._of_project.seconds > SECONDS_OF_A_PROJECT:
            raise CannotJudge(
                "too much work came at once. Reclassify its time to have it judged after all."
            )
        began = time.thread_time()
        try:
            return self._judge(tool_name, output, elapsed_ms)
        finally:
            took = time.thread_time() - began
            self._spent += took
            self._of_project.seconds += took


@dataclass(slots=True)
class Patience:
    _checks: dict[tuple[int, str], _Timed] = field(default_factory=dict)
    _projects: dict[int, _Spent] = field(default_factory=lambda: defaultdict(_Spent))

    def with_(self, project: int, check: SuccessCheck) -> SuccessCheck:
        if check is DEFAULT:
            return check
        key = (project, check.name)
        timed = self._checks.get(key)
        if timed is None:
            timed = self._checks[key] = _Timed(check, self._projects[project])
        return timed
