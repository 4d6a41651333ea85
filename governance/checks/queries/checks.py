"""Named checks of a project, their versions and texts, and the built-in checks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import TypedDict

from django.db.models import Count, Max, OuterRef, QuerySet, Subquery

from governance.checks.domain import (
    BOUND_DEFAULT,
    DEFAULT,
    Binding,
    Judgement,
    SuccessCheck,
    first_fitting,
)
from governance.checks.language import fields
from governance.checks.language.matcher import UnknownFormat
from governance.checks.language.named import DEFAULT_COMPILED, NamedCheck
from governance.checks.language.shipped import shipped, shipped_text
from governance.checks.language.shipped.versions import VERSIONS
from governance.core.compiled_check import Compiled
from governance.core.errors import Problem
from governance.core.free_names import as_free_name
from governance.core.json_value import Json
from governance.models import Check, CheckBindings, CheckVersion, Project
from governance.texts.metadata import about_the_name, head_of

NAME = re.compile(fields.NAME)
LONGEST_FREE = 58  # characters, leaving room for a number suffix
HEAVY = ("document", "packed")  # columns of a version that lists don't load
DEFAULT_TEXT = """\
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata:
  name: default
  description: What the edictum SDKs do without a success check.
otherwise: default
rules: []
"""


class IncludedCheck(TypedDict):
    name: str
    version: int


class Origin(StrEnum):
    OWN = "own"
    SHIPPED = "shipped"
    BUILT_IN = "built-in"


def is_ours(name: str) -> bool:
    return name == DEFAULT.name or name in VERSIONS


@dataclass(frozen=True, slots=True)
class Ours:
    """Built-in check: one version, whose text every member may read."""

    name: str
    version: int
    text: str
    origin: Origin
    description: str
    rules: int

    @property
    def compiled(self) -> Compiled:
        """Compiled on first use, which lists never need."""
        return DEFAULT_COMPILED if self.origin is Origin.BUILT_IN else shipped()[self.name]


def ours() -> list[Ours]:
    return [own for name in (DEFAULT.name, *sorted(VERSIONS)) if (own := ours_named(name))]


@cache
def ours_named(name: str) -> Ours | None:
    if name == DEFAULT.name:
        version, text, origin = DEFAULT.version, DEFAULT_TEXT, Origin.BUILT_IN
    elif (written := shipped_text(name)) is not None:
        version, text, origin = VERSIONS[name], written, Origin.SHIPPED
    else:
        return None
    head = head_of(text)
    return Ours(name, version, text, origin, head.description, head.rules)


def compiled_of(project: Project | int, name: str, version: int | None) -> Compiled | None:
    """Compiled check of this version, own or built-in."""
    if name == DEFAULT.name:
        return DEFAULT_COMPILED
    if version is None or (own := own_version(project, name, version)) is None:
        return shipped()[name] if VERSIONS.get(name) == version else None
    return own.compiled


def check_named(project: Project, name: str) -> Check | None:
    """The project's own check of this name, if it exists."""
    if not NAME.fullmatch(name):
        return None
    return Check.objects.filter(project=project, name=name, versions__number=1).first()


def newest_check_version(check: Check) -> CheckVersion | None:
    return _versions(check).order_by("-number").first()


def check_version_numbered(check: Check, number: int) -> CheckVersion | None:
    return _versions(check).filter(number=number).first()


def check_versions_before(check: Check, before: int | None, limit: int) -> list[CheckVersion]:
    """A page of the check's versions, newest first, without their texts."""
    rows = _versions(check).defer(*HEAVY).order_by("-number")
    return list((rows.filter(number__lt=before) if before else rows)[:limit])


def newest_check_versions(project: Project, after: str, limit: int) -> list[CheckVersion]:
    """Newest version of each of the project's checks, by name, without the texts."""
    rows = _newest(project).filter(success_check__name__gt=after).defer(*HEAVY)
    return list(rows.order_by("success_check__name")[:limit])


def check_names(project: Project, limit: int = 1_000) -> list[str]:
    """All checks that can be bound: the project's own first, then the built-in ones."""
    own = Check.objects.filter(project=project, versions__number=1).order_by("name")
    return [
        *own.values_list("name", flat=True)[:limit],
        *(each.name for each in ours()),
    ]


def free_check_name(project: Project, name: str) -> str:
    """This name, with a number appended if a check already has it."""
    own = Check.objects.filter(project=project, name__startswith=name[:LONGEST_FREE])
    used = {*own.values_list("name", flat=True), *(each.name for each in ours())}
    return as_free_name(name, used, LONGEST_FREE)


def missing_checks(project: Project, names: Iterable[str]) -> set[str]:
    own_names = {name for name in names if not is_ours(name)}
    fit = [name for name in own_names if NAME.fullmatch(name)]
    rows = Check.objects.filter(project=project, name__in=fit, versions__number=1)
    return own_names - set(rows.values_list("name", flat=True))


def own_version(
    project: Project | int, name: str, version: int | None = None, *, without: Iterable[str] = ()
) -> CheckVersion | None:
    """This version of the project's own check, the newest if no number is given."""
    if not NAME.fullmatch(name):
        return None
    rows = CheckVersion.objects.filter(success_check__project=project, success_check__name=name)
    if version is not None:
        rows = rows.filter(number=version)
    rows = rows.select_related("success_check__project").defer(*without)
    return rows.order_by("-number").first()


def newest_compiled(project_id: int, names: Iterable[str]) -> dict[str, Compiled]:
    """Newest compiled checks with these names.

    The project's own check takes precedence: a later release may ship a check whose name is in use.
    """
    distinct = set(names)
    compiled = {name: mine.compiled for name in distinct if (mine := ours_named(name))}
    rows = _newest(project_id).filter(success_check__name__in=distinct).defer("document")
    return compiled | {row.name: row.compiled for row in rows}


@dataclass(frozen=True, slots=True)
class Newer:
    """Newer version of a check that this version includes."""

    name: str
    included: int
    newest: int


def newer_included(version: CheckVersion) -> list[Newer]:
    """Newer versions of included checks. They are offered, never adopted silently."""
    names = [each["name"] for each in version.included]
    own = _newest(version.success_check.project_id).filter(success_check__name__in=names)
    numbers = {name: mine.version for name in names if (mine := ours_named(name))}
    numbers |= dict(own.values_list("success_check__name", "number"))
    return [
        Newer(name, each["version"], numbers[name])
        for each in version.included
        if (name := each["name"]) in numbers and numbers[name] != each["version"]
    ]


def included_by(project: Project) -> Mapping[str, list[str]]:
    """Checks whose newest version includes a check, by the name of the included check."""
    by_name: dict[str, list[str]] = {}
    rows = _newest(project).exclude(included=[]).order_by("success_check__name")
    for name, included in rows.values_list("success_check__name", "included"):
        for each in included:
            by_name.setdefault(each["name"], []).append(name)
    return by_name


def versions_counted(project_id: int) -> Subquery:
    """Number of saved versions, which only grows because versions are never deleted."""
    rows = CheckVersion.objects.filter(success_check__project=project_id).order_by()
    return Subquery(rows.values("success_check__project").annotate(n=Count("pk")).values("n"))


def _versions(check: Check) -> QuerySet[CheckVersion]:
    rows = CheckVersion.objects.filter(success_check=check)
    return rows.select_related("success_check__project")


def _newest(project: Project | int) -> QuerySet[CheckVersion]:
    newest = (
        CheckVersion.objects.filter(success_check=OuterRef("success_check"))
        .order_by()
        .values("success_check")
        .annotate(newest=Max("number"))
        .values("newest")
    )
    return CheckVersion.objects.filter(
        success_check__project=project, number=Subquery(newest)
    ).select_related("success_check")


def renamed_check(document: bytes | str, name: str) -> Problem:
    """Problem for a document that has another name than its check."""
    message = f"This check is named `{name}`. Create a new check to use another name."
    return about_the_name(document, message, fix=name)


def check_exists(document: bytes | str, name: str) -> Problem:
    message = f"A check `{name}` already exists. Choose another name, or edit that check."
    return about_the_name(document, message)


def shipped_name(document: bytes | str, name: str) -> Problem:
    message = f"`{name}` is a built-in check. Choose another name."
    return about_the_name(document, message, fix=f"our-{name}")


REMEMBERED = 10_000  # entries per project; bounded, because some tool names never recur
PROJECTS = 256

State = tuple[int, datetime | None, int]


class CannotJudge(Exception):
    """Raised if a bound check can't run. Its calls stay unchecked, with this reason."""


@dataclass(frozen=True, slots=True)
class Absent:
    """Placeholder for a missing bound check, so that the default does not apply silently."""

    name: str
    reason: str
    version: int = 0

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement:
        raise CannotJudge(self.reason)


class Judges:
    """Snapshot of a project's bindings and the checks that they name."""

    def __init__(self, lines: Sequence[Binding], checks: Mapping[str, SuccessCheck]) -> None:
        self._lines = tuple(lines)
        self._checks = checks
        self._answers: dict[tuple[str, str, str], SuccessCheck] = {}

    @property
    def lines(self) -> tuple[Binding, ...]:
        return self._lines

    @property
    def names(self) -> frozenset[str]:
        """Names of bound checks, without the default check of the last row."""
        return frozenset(line.check for line in self._lines)

    def check_named(self, name: str) -> SuccessCheck:
        """A bound check of this name, or the default check."""
        return DEFAULT if name == DEFAULT.name else self._checks[name]

    def check_for(self, environment: str, agent: str, tool: str) -> SuccessCheck:
        """The check that applies to this call; `DEFAULT` itself only if no binding matches."""
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
    """Changes whenever anything that decides a verdict does; empty if nothing was ever bound."""
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
    """Changes whenever anything that decides a verdict does; None if nothing was ever bound."""
    # Counted rather than maximized: versions may commit in another order than their numbers.
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
