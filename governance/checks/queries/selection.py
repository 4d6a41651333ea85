"""Which check judges a call: the first binding that fits; the last and fixed one is the default.

Whoever judges many calls asks for the judges of their project once. As long as nobody has saved a
check or changed a binding that costs one small query, whatever the bindings are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from governance.checks.domain import (
    BOUND_DEFAULT,
    DEFAULT,
    Binding,
    Judgement,
    SuccessCheck,
    first_fitting,
)
from governance.checks.language.matcher import UnknownFormat
from governance.checks.language.named import NamedCheck
from governance.checks.queries.checks import newest_compiled, versions_counted
from governance.core.json_value import Json
from governance.models import CheckBindings

REMEMBERED = 10_000  # answers of one project; a name that never comes again must not stay for ever
PROJECTS = 256

State = tuple[int, datetime | None, int]


class CannotJudge(Exception):
    """A check that is bound and cannot be asked; its calls are not checked, and say why."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Stands where a bound check should be: silence would look like the default's word."""

    name: str
    reason: str
    version: int = 0

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement:
        raise CannotJudge(self.reason)


class Judges:
    """The checks of one project by its bindings, as they stood when this was asked for."""

    def __init__(self, lines: Sequence[Binding], checks: Mapping[str, SuccessCheck]) -> None:
        self._lines = tuple(lines)
        self._checks = checks
        self._answers: dict[tuple[str, str, str], SuccessCheck] = {}

    @property
    def lines(self) -> tuple[Binding, ...]:
        return self._lines

    @property
    def names(self) -> frozenset[str]:
        """Names of bound checks, without the default of the last line."""
        return frozenset(line.check for line in self._lines)

    def check_named(self, name: str) -> SuccessCheck:
        """One of those that lines name, or the default."""
        return DEFAULT if name == DEFAULT.name else self._checks[name]

    def check_for(self, environment: str, agent: str, tool: str) -> SuccessCheck:
        """DEFAULT itself only where no binding applies."""
        if not self._lines:
            return DEFAULT
        call = (environment, agent, tool)
        known = self._answers.get(call)
        if known is None:
            if len(self._answers) >= REMEMBERED:
                self._answers = {}
            known = self._answers[call] = self._first(call)
        return known

    def _first(self, call: tuple[str, str, str]) -> SuccessCheck:
        place = first_fitting(self._lines, *call)
        return DEFAULT if place is None else self._checks[self._lines[place].check]


def state_of_judges(project_id: int) -> str:
    """Differs when anything does that decides a verdict; empty where nothing was ever bound."""
    state = _state(project_id)
    return "" if state is None else ":".join(str(part) for part in state)


_UNBOUND = Judges((), {})
_cache: dict[int, tuple[State, Judges]] = {}


def judges(project_id: int) -> Judges:
    state = _state(project_id)
    if state is None:
        return _UNBOUND
    cached = _cache.get(project_id)
    if cached is not None and cached[0] == state:
        return cached[1]
    made = _made(project_id)
    if len(_cache) >= PROJECTS:
        _cache.clear()
    _cache[project_id] = (state, made)
    return made


def _state(project_id: int) -> State | None:
    """Differs when anything does that decides a verdict; none where nothing was ever bound."""
    # Counted, since versions may be committed in another order than they were numbered in.
    rows = CheckBindings.objects.filter(project=project_id).values_list(
        "revision", "changed_at", versions_counted(project_id)
    )
    row = rows.first()
    return None if row is None else (row[0], row[1], row[2] or 0)


def _made(project_id: int) -> Judges:
    row = CheckBindings.objects.get(project=project_id)
    lines = [Binding(*line) for line in row.lines]
    names = {line.check for line in lines} - {DEFAULT.name}
    compiled = newest_compiled(project_id, names)
    checks: dict[str, SuccessCheck] = {DEFAULT.name: BOUND_DEFAULT}
    for name in names:
        checks[name] = Absent(name, "it does not exist.")
        if name in compiled:
            try:
                checks[name] = NamedCheck(compiled[name])
            except UnknownFormat as error:
                checks[name] = Absent(name, str(error))
    return Judges(lines, checks)
