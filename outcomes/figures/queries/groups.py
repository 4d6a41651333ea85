"""Groups of similar failures and denials in a scope.

`failure_groups` and `denial_groups` return a page of groups, the most frequent first. `group_with`
returns one group by the key in its address, `group_identity` only its texts, `group_calls` its
calls.

Counts, sessions and steps cover the scope, `before` the previous period. First and last seen cover
all time and all agents in the scope's environment.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, NamedTuple

from django.db.models import QuerySet, Subquery

from governance.deployments.queries import Deployed, newest_deployments
from outcomes.core.groups import DENIED, FAILURE
from outcomes.core.scope import Scope
from outcomes.figures.queries.group_calls import seen, straddling
from outcomes.figures.queries.group_rollups import GroupReading, Time
from outcomes.models import Agent, Call, CallGroup, GroupRollup, Tool
from outcomes.record.codec import as_text, digest_of
from outcomes.stored.queries import CALLS_SHOWN, PLACE_BY_TIME, with_names
from outcomes.web.paging import Page, Place, page_of

GROUPS_SHOWN: Final = 25
NOW, BEFORE, EARLIER = range(3)
_NAMES: Final = ("digest", "of", "tool__name", "agent__name", "kind", "reason", "rule",
                 "check_name", "text")  # fmt: skip

Order = Literal["calls", "more"]  # most calls first, or largest increase first
GroupPlace = tuple[int, str]  # a group's sort value and its key


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigures:
    key: str  # 32 hexadecimal digits; the same in all environments of the project
    of: str  # failure or denied
    tool: str
    agent: str  # of a denial; a failure's is empty
    kind: str  # the type of the outcome
    reason: str  # of a denial
    rule: str  # the contract's that denied, or the check's that decided; empty: none
    check: str  # the check that decided; empty: none
    text: str  # normalized reason or details; may be empty
    calls: int
    before: int
    sessions: int  # with at least one of the calls; calls without a session count for none
    first_at: datetime
    last_at: datetime
    new_since: Deployed | None  # newest deployment, if the group was first seen after it
    gone_since: datetime | None  # if the group came back: its last call before the scope
    steps: list[int]  # calls in each of `scope.steps()`


class GroupIdentity(NamedTuple):
    """Properties that all calls of a group share, with names."""

    key: str
    of: str
    tool: str
    agent: str
    kind: str
    reason: str
    rule: str
    check: str
    text: str


class GroupPage(NamedTuple):
    groups: list[GroupFigures]
    number: int  # groups on all pages
    calls: int  # calls of all these groups
    next: GroupPlace | None  # start of the next page


def failure_groups(
    project_id: int,
    scope: Scope,
    *,
    tool: str = "",
    order: Order = "calls",
    after: GroupPlace | None = None,
    size: int = GROUPS_SHOWN,
) -> GroupPage:
    """Failure groups with calls in the scope, of one tool if it is named."""
    reading = _reading(project_id, scope, of=FAILURE, tool=tool)
    return _page(reading, scope, order, after, size)


def denial_groups(
    project_id: int,
    scope: Scope,
    *,
    tool: str = "",
    reason: str = "",
    rule: str | None = None,
    order: Order = "calls",
    after: GroupPlace | None = None,
    size: int = GROUPS_SHOWN,
) -> GroupPage:
    """Denial groups with calls in the scope; an empty rule selects groups without one."""
    such = None
    if reason or rule is not None:
        rows = CallGroup.objects.filter(project=project_id, of=DENIED)
        rows = rows.filter(reason=as_text(reason)) if reason else rows
        rows = rows if rule is None else rows.filter(rule=as_text(rule))
        such = set(rows.values_list("pk", flat=True))
    reading = _reading(project_id, scope, of=DENIED, tool=tool, groups=such)
    return _page(reading, scope, order, after, size)


def group_with(project_id: int, scope: Scope, key: str) -> GroupFigures | None:
    """Group with this key, or None if the environment has none. It may have no calls in scope."""
    number, of = _numbered(project_id, key)
    if not number:
        return None
    reading = _reading(project_id, scope, of=of, groups={number})
    if reading is None:
        return None
    figures = _figures(reading, scope, [number], identities_of_ids([number]))
    return figures[0] if figures else None


def group_identity(project_id: int, key: str) -> GroupIdentity | None:
    """Shared properties of a group, without its figures."""
    number, _ = _numbered(project_id, key)
    return identities_of_ids([number]).get(number) if number else None


def group_calls(
    project_id: int,
    scope: Scope,
    key: str,
    *,
    before: Place | None = None,
    after: Place | None = None,
) -> Page[Call]:
    """Page of a group's calls in the scope, newest first."""
    number, _ = _numbered(project_id, key)
    calls = with_names(Call.objects.filter(project=project_id, group=number))
    since, until = scope.bounds
    if since is not None:
        calls = calls.filter(at__gte=since)
    if until is not None:
        calls = calls.filter(at__lt=until)
    if scope.environment:
        calls = calls.filter(environment__name=as_text(scope.environment))
    if scope.agent:
        calls = calls.filter(agent__digest=digest_of(scope.agent))
    return page_of(calls, PLACE_BY_TIME, size=CALLS_SHOWN, before=before, after=after)


def identities_of_ids(groups: Iterable[int]) -> dict[int, GroupIdentity]:
    return identities(CallGroup.objects.filter(pk__in=list(groups)))


def identities(groups: QuerySet[CallGroup]) -> dict[int, GroupIdentity]:
    rows = groups.order_by()
    return {
        number: GroupIdentity(bytes(digest).hex(), of, tool, agent or "", *rest)
        for number, digest, of, tool, agent, *rest in rows.values_list("pk", *_NAMES)
    }


def _numbered(project_id: int, key: str) -> tuple[int, str]:
    """Row number and kind of a group; number 0 if there is none."""
    try:
        digest = bytes.fromhex(key)
    except ValueError:
        return 0, ""
    rows = CallGroup.objects.filter(project=project_id, digest=digest)
    return rows.values_list("pk", "of").first() or (0, "")


def _reading(
    project_id: int,
    scope: Scope,
    *,
    of: str,
    tool: str = "",
    groups: set[int] | None = None,
) -> GroupReading | None:
    """Rollups to read, or None if no tool or agent has this name."""
    agents = Agent.objects.filter(project=project_id, digest=digest_of(scope.agent))
    number = agent = None
    if tool:  # tool and agent in one query
        tools = Tool.objects.filter(project=project_id, digest=digest_of(tool))
        both = tools.values_list("pk", Subquery(agents.values("pk"))).first()
        number, agent = both if both else (None, None)
    elif scope.agent:
        agent = agents.values_list("pk", flat=True).first()
    if (tool and number is None) or (scope.agent and agent is None):
        return None
    counted = GroupRollup.Of.DENIALS
    if of == FAILURE:
        counted = GroupRollup.Of.FAILURES_OF_AGENT if agent else GroupRollup.Of.FAILURES
    return GroupReading(
        project=project_id,
        environment=scope.environment,
        of=counted.value,
        tool=number,
        agent=agent,
        groups=groups,
    )


def _page(
    reading: GroupReading | None,
    scope: Scope,
    order: Order,
    after: GroupPlace | None,
    size: int,
) -> GroupPage:
    if reading is None:
        return GroupPage([], 0, 0, None)
    sums = reading.read([Time(scope.since, scope.until), time_before(scope)])
    words = identities_of_ids(
        number for number, group_words in sums.items() if group_words.total(NOW).calls
    )
    places: dict[int, GroupPlace] = {}
    for number, group_words in words.items():
        counted = sums[number]
        calls, before = counted.total(NOW).calls, counted.total(BEFORE).calls
        places[number] = (-calls if order == "calls" else before - calls), group_words.key
    last = None if after is None else (-after[0], after[1])
    rest = sorted((p, n) for n, p in places.items() if last is None or p > last)
    page = [number for _, number in rest[:size]]
    following = None
    if len(rest) > size:
        least, key = rest[size - 1][0]
        following = (-least, key)
    calls = sum(sums[number].total(NOW).calls for number in words)
    return GroupPage(_figures(reading, scope, page, words), len(words), calls, following)


def _figures(
    reading: GroupReading, scope: Scope, groups: list[int], words: Mapping[int, GroupIdentity]
) -> list[GroupFigures]:
    if not groups:
        return []
    page_reading = replace(reading, groups=set(groups))
    times = [_in_steps(scope), time_before(scope), Time(None, scope.since)]
    counted = page_reading.read(times)
    newest = newest_deployments(reading.project)
    when = seen(reading, scope, groups)
    there = {number: counted[number].total(EARLIER) for number in groups}
    begun = [number for number, sums in there.items() if sums.begun > sums.ended]
    passed_by = straddling(reading, scope, begun) if begun else {}
    figures = []
    for number in groups:
        if number not in when:  # its calls were removed in the meantime
            continue
        now, earlier, times_of = counted[number].total(NOW), there[number], when[number]
        deployed = newest.get(times_of.environment)
        sessions = now.begun + earlier.begun - earlier.ended - passed_by.get(number, 0)
        figures.append(
            GroupFigures(
                **words[number]._asdict(),
                calls=now.calls,
                before=counted[number].total(BEFORE).calls,
                sessions=sessions,
                first_at=times_of.first,
                last_at=times_of.last,
                new_since=deployed if deployed and times_of.first >= deployed.at else None,
                gone_since=times_of.gone_since,
                steps=counted[number].calls_by_step(NOW, len(scope.steps())),
            )
        )
    return figures


def _in_steps(scope: Scope) -> Time:
    return Time(scope.since, scope.until, [step.start for step in scope.steps()])


def time_before(scope: Scope) -> Time:
    return Time(scope.previous.since, scope.since)
