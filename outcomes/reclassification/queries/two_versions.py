"""Verdicts of two versions of a check on the same calls."""

from collections import Counter
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from django.db.models import Count, F, QuerySet

from outcomes.models import Call, PastVerdict

SAMPLES: Final = 20
_WAS, _IS_NOW, _WAS_ALSO = "verdict", "call__classified", "call__past_verdicts__verdict"


@dataclass(frozen=True, slots=True)
class TwoVersions:
    """Number of calls by pair of verdicts, and samples of calls whose verdicts differ."""

    counts: dict[tuple[str, str], int]
    samples: list[tuple[Call, str, str]]


class _Pair(NamedTuple):
    """Calls that both versions checked, and the columns with their verdicts."""

    rows: QuerySet[PastVerdict]
    one: str
    other: str


def two_versions(project_id: int, check: str, first: int, second: int) -> TwoVersions:
    """Calls that both versions checked, with current or past verdicts."""
    pairs = (
        _Pair(_past_and_present(project_id, check, first, second), _WAS, _IS_NOW),
        _Pair(_past_and_present(project_id, check, second, first), _IS_NOW, _WAS),
        _Pair(_both_past(project_id, check, first, second), _WAS, _WAS_ALSO),
    )
    counts: Counter[tuple[str, str]] = Counter()
    differing: dict[int, tuple[str, str]] = {}
    for rows, one, other in pairs:
        counted: Any = rows.order_by().values_list(one, other)
        for before, then, calls in counted.annotate(calls=Count("call", distinct=True)):
            counts[before, then] += calls
        newest: Any = rows.exclude(**{one: F(other)}).order_by("-call")
        for call, before, then in newest.values_list("call", one, other)[:SAMPLES]:
            differing.setdefault(call, (before, then))
    shown = Call.objects.filter(pk__in=differing, project=project_id).order_by("-at")
    named = shown.select_related("tool", "agent", "session", "environment")
    rows_shown = named.defer("session__tally")[:SAMPLES]
    return TwoVersions(dict(counts), [(call, *differing[call.pk]) for call in rows_shown])


def versions_heard(project_id: int, check: str) -> list[int]:
    """Versions with a current or past verdict on a stored call, newest first."""
    past = PastVerdict.objects.filter(project=project_id, check_name=check)
    numbers = set(past.order_by().values_list("check_version", flat=True).distinct())
    present = past.filter(call__check_name=check).order_by()
    numbers |= set(present.values_list("call__check_version", flat=True).distinct())
    return sorted((number for number in numbers if number is not None), reverse=True)


def _past(project_id: int, check: str, version: int) -> QuerySet[PastVerdict]:
    return PastVerdict.objects.filter(project=project_id, check_name=check, check_version=version)


def _past_and_present(
    project_id: int, check: str, past: int, present: int
) -> QuerySet[PastVerdict]:
    rows = _past(project_id, check, past)
    return rows.filter(call__check_name=check, call__check_version=present)


def _both_past(project_id: int, check: str, first: int, second: int) -> QuerySet[PastVerdict]:
    """Calls for which the verdicts of both versions were replaced."""
    rows = _past(project_id, check, first).filter(
        call__past_verdicts__check_name=check, call__past_verdicts__check_version=second
    )
    return rows.exclude(call__check_name=check, call__check_version__in=[first, second])
