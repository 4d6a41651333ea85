"""Reclassifications and impact previews with their results, and earlier verdicts of calls."""

from collections.abc import Iterable
from typing import Any

from django.db.models import F, Sum

from outcomes.models import Rejudging, RejudgingPart
from outcomes.reclassification.domain.flips import Flips
from outcomes.reclassification.domain.shifts import Shifts

SHOWN = 50


def rejudging_numbered(project_id: int, number: int, kind: str) -> Rejudging | None:
    """Job with this number, or None; while it runs, with the progress of its parts."""
    rows = Rejudging.objects.filter(project=project_id, kind=kind, pk=number)
    rejudging = rows.defer("document", "packed").select_related("environment").first()
    if rejudging is not None and not rejudging.has_ended:
        parts = RejudgingPart.objects.filter(rejudging=rejudging)
        rejudging.passed = parts.aggregate(passed=Sum("passed"))["passed"] or 0
    return rejudging


def result_so_far(rejudging: Rejudging) -> dict[str, Any]:
    """Combined result of all parts so far."""
    if rejudging.has_ended and rejudging.result:
        result: dict[str, Any] = rejudging.result
        return result
    parts = RejudgingPart.objects.filter(rejudging=rejudging).order_by("number")
    return added_up(parts.values_list("result", flat=True))


def added_up(parts: Iterable[dict[str, Any]]) -> dict[str, Any]:
    flips, shifts, seconds = Flips(), Shifts(), 0.0
    for part in parts:
        if part:
            flips.merge(part["flips"])
            shifts.merge(part["shifts"])
            seconds += part["cpu_seconds"]
    return {
        "flips": flips.as_json(),
        "shifts": shifts.as_json(),
        "cpu_seconds": round(seconds, 3),
    }


def rejudgings(
    project_id: int, kind: str, *, check: str = "", before: int | None = None
) -> list[Rejudging]:
    """Jobs, newest first, without YAML and tables but with `counts` of flips. Contains one job more
    than a page shows."""
    rows = Rejudging.objects.filter(project=project_id, kind=kind)
    if check:
        rows = rows.filter(check_name=check)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    light = rows.defer("document", "packed", "result").select_related("environment")
    counted = light.annotate(counts=F("result__flips__counts"))
    return list(counted.order_by("-id")[: SHOWN + 1])
