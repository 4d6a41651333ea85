"""Comparison of a group of calls with the other calls in the same scope, from limited samples."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from django.db.models import Q

from outcomes.masking.queries.shown_calls import shown_folds
from outcomes.models import Call
from outcomes.search.domain.content import Content, Leaf, written
from outcomes.search.domain.differences import EXISTS, Differences, Feature, differences
from outcomes.search.domain.language import Query
from outcomes.search.queries.hits import rows_in_scope, search, searchable
from outcomes.stored.queries import CallFilter, with_names

MOST_HERE: Final = 400  # newest calls of the group
MOST_ELSEWHERE: Final = 800  # other calls, evenly spread over the newest
NEWEST_ELSEWHERE: Final = 20_000
LONGEST_VALUE: Final = 60  # characters of a value; longer ones are not compared
_OUTCOMES: Final = frozenset({"outcome", "error", "reason"})


@dataclass(frozen=True, slots=True)
class Comparison:
    result: Differences
    others: int  # other calls in the scope, of which a sample was read
    is_bounded: bool  # there are more other calls
    is_newest: bool  # only the newest calls of the group were read
    since: datetime | None  # start of the compared period, unless it is the entire scope


def comparison(
    project_id: int, query: Query, filters: CallFilter, such: Q, *, zone: tzinfo = UTC
) -> Comparison:
    hits = search(project_id, query, filters, size=MOST_HERE, such=such)
    rows, since = hits.rows, None
    if hits.end is not None and rows:
        since = rows[-1].at
        filters = replace(filters, since=since)
    scope = rows_in_scope(project_id, Query(query.of("tool")), filters)
    group = {row.pk for row in rows}
    ids = [
        number
        for number in scope.order_by("-at", "-order").values_list("id", flat=True)[
            : NEWEST_ELSEWHERE + len(group)
        ]
        if number not in group
    ]
    step = max(1, -(-len(ids) // MOST_ELSEWHERE))
    sample = list(with_names(Call.objects.filter(project=project_id, pk__in=ids[::step])))
    if len(ids) >= NEWEST_ELSEWHERE and sample:
        since = min(row.at for row in sample)
        rows = [row for row in rows if row.at >= since]
    left_out = frozenset(_fields_of(query)) | (_OUTCOMES if such else frozenset())
    return Comparison(
        differences(_features(rows, zone), _features(sample, zone), left_out),
        len(ids),
        len(ids) >= NEWEST_ELSEWHERE,
        is_newest=hits.end is not None,
        since=since,
    )


def _fields_of(query: Query) -> Iterator[str]:
    for term in query.terms:
        yield term.name
        if term.field == "verdict":
            yield "outcome"


def _features(rows: Sequence[Call], zone: tzinfo) -> list[frozenset[Feature]]:
    return [
        frozenset(_features_of(row, searchable(folded), zone)) for row, folded in shown_folds(rows)
    ]


def _features_of(row: Call, content: Content, zone: tzinfo) -> Iterator[Feature]:
    yield "tool", row.tool.name
    yield "agent", row.agent.name
    yield "env", row.environment.name
    yield "hour", _hour(row.at, zone)
    yield "outcome", row.verdict or row.kind or "open"
    if content.principal:
        yield "principal", content.principal
    if row.version is not None:
        yield "contract", f"{row.version.bundle.name} v{row.version.number}"
    for name, text in (("error", content.error), ("reason", content.reason)):
        if text:
            yield name, text[:LONGEST_VALUE]
    yield from _leaf_features("args", content.arguments)
    yield from _leaf_features("output", content.output)


def _leaf_features(field: str, leaves: Sequence[Leaf]) -> Iterator[Feature]:
    for path, value in leaves:
        name = f"{field}.{path}" if path else field
        yield name, EXISTS
        text = written(value)
        if text and len(text) <= LONGEST_VALUE:
            yield name, f'"{text}"' if isinstance(value, str) else text


def _hour(at: datetime, zone: tzinfo) -> str:
    local = at.astimezone(zone).replace(minute=0, second=0, microsecond=0)
    return f"{local:%d %b %H:%M}\N{EN DASH}{local + timedelta(hours=1):%H:%M}".lstrip("0")
