"""Comparison of two versions of a check by their verdicts on the same calls."""

from typing import Any, Final

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.checks.queries.checks import check_named, ours_named
from governance.core.errors import NotFound
from governance.core.numbers import parse_number
from governance.core.verdict import Verdict
from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import Tables, one_of_tables
from outcomes.reclassification.queries.two_versions import two_versions, versions_heard
from outcomes.reclassification.tables import TWO_VERDICTS
from outcomes.reclassification.tables import VERDICTS as TWO

VERDICTS: Final = (Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNKNOWN)


@require_safe
@member_page()
def check_verdicts(request: MemberRequest, check_name: str) -> HttpResponseBase:
    if check_named(request.project, check_name) is None and ours_named(check_name) is None:
        raise NotFound("Check not found.")
    heard = versions_heard(request.project.pk, check_name)
    first, second = _chosen(request, "from", heard[1:]), _chosen(request, "to", heard)
    comparison = None
    if first is not None and second is not None and first != second:
        comparison = two_versions(request.project.pk, check_name, first, second)
    counts = comparison.counts if comparison else {}
    context: dict[str, Any] = {
        "page_title": f"Verdicts of {check_name}",
        "name": check_name,
        "versions": heard,
        "first": first,
        "second": second,
        "rows": [
            (one.value, [(other.value, counts.get((one, other), 0)) for other in VERDICTS])
            for one in VERDICTS
        ],
        "verdicts": [verdict.value for verdict in VERDICTS],
        "calls": sum(counts.values()),
        "differing": sum(number for (one, other), number in counts.items() if one != other),
        "samples": comparison.samples if comparison else [],
    }
    tables: Tables = {
        "verdicts": (TWO, [(*pair, number) for pair, number in counts.items()]),
        "samples": (TWO_VERDICTS, context["samples"]),
    }
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "reclassification/check_verdicts.html", context)


def _chosen(request: MemberRequest, key: str, heard: list[int]) -> int | None:
    given = parse_number(request.GET.get(key))
    return given if given is not None else next(iter(heard), None)
