"""OpenTelemetry settings page: exporter settings, and received spans."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, console_address, member_page
from governance.web.table_files import one_of_tables
from outcomes.traces.queries import span_totals
from outcomes.traces.tables import SPANS
from outcomes.traces.words import sentence


@require_safe
@member_page()
def spans(request: MemberRequest) -> HttpResponseBase:
    totals = span_totals(request.project)
    file = one_of_tables(request, request.project, {"spans": (SPANS, totals)})
    if file is not None:
        return file
    context = {
        "page_title": "OpenTelemetry",
        "sentence": sentence(totals),
        "totals": totals,
        "url": console_address(request),
    }
    return render(request, "traces/spans.html", context)
