"""From a step of a chart to the calls in it."""

from functools import cache
from urllib.parse import quote

from django.urls import reverse

from outcomes.charts import LinkTo
from outcomes.core.moments import time_text
from outcomes.core.scope import Scope
from outcomes.web.paging import with_query


def link_to_calls(slug: str, scope: Scope, **narrowed: str) -> LinkTo:
    steps, address = scope.steps(), reverse("outcomes:calls", args=[slug])
    chosen = {"environment": scope.environment, "agent": scope.agent} | narrowed
    query = with_query("", **chosen).replace("?", "&")

    @cache  # a chart and its table lead to the same
    def link(first: int, last: int) -> str:
        since, until = time_text(steps[first].start), time_text(steps[last].end)
        return f"{address}?from={quote(since)}&to={quote(until)}{query}"

    return link
