"""Where agents report another verdict than the console gives: by tool, by agent, by check."""

from datetime import datetime, timedelta
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from governance import queries as governed
from governance.auth import MemberRequest, member_page
from outcomes.queries.disagreements import Judge, disagreements
from outcomes.views.paging import with_query
from outcomes.views.periods import time_text, to_the_minute

PERIODS: Final = {
    "1h": ("the last hour", timedelta(hours=1)),
    "24h": ("the last 24 hours", timedelta(hours=24)),
    "7d": ("the last 7 days", timedelta(days=7)),
    "30d": ("the last 30 days", timedelta(days=30)),
}
USUAL: Final = "24h"


@require_safe
@member_page()
def disagreement_page(request: MemberRequest) -> HttpResponse:
    period = request.GET.get("period", USUAL)
    period = period if period in PERIODS else USUAL
    words, length = PERIODS[period]
    since = to_the_minute(timezone.now() - length)
    names = governed.environments(request.project)
    environment = request.GET.get("environment", "")
    environment = environment if environment in names else ""
    found = disagreements(request.project.pk, environment, since)
    context = {
        "page_title": "Disagreements",
        "found": found,
        "period": period,
        "periods": [
            (name, with_query(request.path, period=name, environment=environment))
            for name in PERIODS
        ],
        "period_words": words,
        "environment": environment,
        "environments": [
            (name, with_query(request.path, period=period, environment=name))
            for name in ["", *names]
        ],
        "agents": [(each, _calls(request, since, environment, each.name)) for each in found.agents],
        "groups": [
            (
                each,
                judge_words(each.judge) or "no check: a timeout or a failure",
                judge_words(each.reported_by) if each.reported_by else "",
            )
            for each in found.groups
        ],
        "is_in_part": found.counted < found.total,
    }
    return render(request, "outcomes/disagreements.html", context)


def judge_words(judge: Judge) -> str:
    return judge.name if judge.version is None else f"{judge.name} v{judge.version}"


def _calls(request: MemberRequest, since: datetime, environment: str, agent: str) -> str:
    """The list of those very calls of one agent."""
    address = reverse("outcomes:calls", args=[request.project.slug])
    chosen = {"agent": agent, "show": "disagree", "since": time_text(since)}
    return with_query(address, environment=environment, **chosen)
