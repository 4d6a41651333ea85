"""The settings page of hosts."""

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.people.auth import MemberRequest, member_page
from governance.web.table_files import one_of_tables
from outcomes.hosts import queries, words
from outcomes.hosts.tables import HOSTS


@require_safe
@member_page()
def hosts(request: MemberRequest) -> HttpResponseBase:
    rows = queries.hosts()
    file = one_of_tables(request, request.project, {"hosts": (HOSTS, rows)})
    if file is not None:
        return file
    context = {
        "page_title": "Hosts",
        "sentence": words.sentence(rows, is_scheduled=queries.is_scheduler_up()),
        "hosts": [words.shown(each) for each in rows],
    }
    return render(request, "hosts/hosts.html", context)
