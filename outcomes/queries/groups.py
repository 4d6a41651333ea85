"""Groups: failures that fail alike and denials that were denied alike, in a scope.

`failure_groups` and `denial_groups` give a page of them, the most frequent first; `group_with` one
of them by its key, as an address has it; `group_calls` its calls; `denials` what was denied by
reason, rule, tool and agent, and step by step.

Counts, sessions and steps are of the scope, `before` of the time before it. When a group was first
and last seen is asked of all time, of the scope's environment and of every agent.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Literal, NamedTuple

from governance.queries import Deployed, newest_deployments
from outcomes.codec import CALL_COLUMNS, CallRow, call_row_of
from outcomes.codec.groups import digest_of_group, grouping_of
from outcomes.domain.groups import DENIED, FAILURE, Grouping
from outcomes.domain.scope import Scope
from outcomes.models import Agent, Call, Tool
from outcomes.queries.call_lists import CALLS_SHOWN, PLACE_BY_TIME
from outcomes.queries.calls import CallFilter, calls, with_names
from outcomes.queries.paging import Page, Place, page_of

GROUPS_SHOWN: Final = 25
GONE: Final = timedelta(hours=24)  # a group that was not seen for so long, and is, is back

Order = Literal["calls", "more"]  # the most frequent first, or what grew most
GroupPlace = tuple[int, str]  # what a group is ordered by, and its key


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupFigures:
    key: str  # 32 hexadecimal digits: the same in all environments of the project
    of: str  # failure or denied
    tool: str
    agent: str  # of a denial; a failure's is empty
    kind: str  # the type of the outcome
    reason: str  # of a denial
    rule: str  # the contract's that denied, or the check's that judged; empty: none
    check: str  # the check that judged; empty: none
    text: str  # the reason or the details in normal form; may be empty
    calls: int
    before: int
    sessions: int  # that have any of the calls; calls without a session are of none
    first_at: datetime
    last_at: datetime
    new_since: Deployed | None  # the newest one where it was first seen, if it was seen since
    gone_since: datetime | None  # back after being gone: the call before the first one of the scope
    steps: list[int]  # calls in each of `scope.steps()`


class GroupPage(NamedTuple):
    groups: list[GroupFigures]
    number: int  # of groups in all
    calls: int  # of all of them
    next: GroupPlace | None  # where the next page begins


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """Of one reason, rule, tool or agent."""

    name: str  # of the rule: empty where none is known
    calls: int
    before: int
    steps: list[int]
    contract: str = ""  # of a rule: which one governed the newest of these calls
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Denials:
    """Each of these the most frequent first; of the time before too, so there may be zeros."""

    calls: int = 0
    before: int = 0
    steps: list[int] = field(default_factory=list)
    by_reason: list[Denied] = field(default_factory=list)
    by_rule: list[Denied] = field(default_factory=list)
    by_tool: list[Denied] = field(default_factory=list)
    by_agent: list[Denied] = field(default_factory=list)


def failure_groups(
    project_id: int,
    scope: Scope,
    *,
    tool: str = "",
    order: Order = "calls",
    after: GroupPlace | None = None,
    size: int = GROUPS_SHOWN,
) -> GroupPage:
    """Those that have calls in the scope; of one tool where it is named."""
    found = [
        each
        for each in _groups(project_id, scope).values()
        if each.group.of == FAILURE and tool in ("", each.tool)
    ]
    return _page(project_id, scope, found, order, after, size)


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
    """The same of denials; a rule that is empty asks for those without one."""
    found = [
        each
        for each in _groups(project_id, scope).values()
        if each.group.of == DENIED
        and tool in ("", each.tool)
        and reason in ("", each.group.reason)
        and rule in (None, each.group.rule)
    ]
    return _page(project_id, scope, found, order, after, size)


def group_with(project_id: int, scope: Scope, key: str) -> GroupFigures | None:
    """None where the scope's environment has no such group; of its calls none may be in the
    scope."""
    found = _groups(project_id, scope).get(key)
    return _figures(project_id, scope, [found])[0] if found else None


def group_calls(
    project_id: int,
    scope: Scope,
    key: str,
    *,
    before: Place | None = None,
    after: Place | None = None,
) -> Page[Call]:
    """The calls of a group in the scope, newest first, a page of CALLS_SHOWN."""
    group = _groups(project_id, scope).get(key)
    ids = [row.id for row in group.rows] if group else []
    found = with_names(Call.objects.filter(pk__in=ids))
    since, until = scope.bounds
    if since is not None:
        found = found.filter(at__gte=since)
    if until is not None:
        found = found.filter(at__lt=until)
    return page_of(found, PLACE_BY_TIME, size=CALLS_SHOWN, before=before, after=after)


def denials(project_id: int, scope: Scope, *, tool: str = "") -> Denials:
    """All that was denied in the scope."""
    found = [
        each
        for each in _groups(project_id, scope).values()
        if each.group.of == DENIED and tool in ("", each.tool)
    ]
    whole = _denied(scope, "", [row for each in found for row in each.rows])

    def by(name_of: Callable[[_Group], str]) -> list[Denied]:
        named = defaultdict[str, list[CallRow]](list)
        for each in found:
            named[name_of(each)] += each.rows
        counted = [_denied(scope, name, rows) for name, rows in named.items()]
        return sorted(
            (each for each in counted if each.calls or each.before),
            key=lambda each: (-each.calls, -each.before, each.name),
        )

    return Denials(
        calls=whole.calls,
        before=whole.before,
        steps=whole.steps,
        by_reason=by(lambda each: each.group.reason),
        by_rule=by(lambda each: each.group.rule),
        by_tool=by(lambda each: each.tool),
        by_agent=by(lambda each: each.agent),
    )


@dataclass(slots=True)
class _Group:
    group: Grouping
    tool: str
    agent: str
    rows: list[CallRow] = field(default_factory=list)  # of the scope's agent
    all_rows: list[CallRow] = field(default_factory=list)


def _groups(project_id: int, scope: Scope) -> dict[str, _Group]:
    """By their keys, from all calls of the environment that ever failed or were denied."""
    found: dict[str, _Group] = {}
    tools = dict(Tool.objects.filter(project=project_id).values_list("pk", "name"))
    agents = dict(Agent.objects.filter(project=project_id).values_list("pk", "name"))
    wanted = calls(project_id, CallFilter(environment=scope.environment)).order_by()
    for values in wanted.values_list(*CALL_COLUMNS).iterator(chunk_size=2_000):
        row = call_row_of(values)
        group = grouping_of(row)
        if group is None or (group.agent and scope.agent not in ("", agents[group.agent])):
            continue
        key = digest_of_group(group).hex()
        if key not in found:
            found[key] = _Group(group, tools[group.tool], agents.get(group.agent, ""))
        found[key].all_rows.append(row)
        if scope.agent in ("", agents[row.agent]):
            found[key].rows.append(row)
    return found


def _page(
    project_id: int,
    scope: Scope,
    found: list[_Group],
    order: Order,
    after: GroupPlace | None,
    size: int,
) -> GroupPage:
    shown = [each for each in _figures(project_id, scope, found) if each.calls]
    shown.sort(key=lambda each: _place(each, order))
    rest = (
        shown if after is None else [e for e in shown if _place(e, order) > (-after[0], after[1])]
    )
    page = rest[:size]
    following = None
    if len(rest) > size:
        number, key = _place(page[-1], order)
        following = (-number, key)
    return GroupPage(page, len(shown), sum(each.calls for each in shown), following)


def _place(group: GroupFigures, order: Order) -> tuple[int, str]:
    number = group.calls if order == "calls" else group.calls - group.before
    return -number, group.key


def _figures(project_id: int, scope: Scope, found: Iterable[_Group]) -> list[GroupFigures]:
    newest = newest_deployments(project_id)
    return [_figures_of(scope, each, newest) for each in found]


def _figures_of(scope: Scope, each: _Group, newest: dict[int, Deployed]) -> GroupFigures:
    group = each.group
    within = [row for row in each.rows if scope.since <= row.at < scope.until]
    counted = _denied(scope, "", each.rows)
    times = sorted(row.at for row in each.all_rows)
    first = min(each.all_rows, key=lambda row: row.at)
    deployed = newest.get(first.environment)
    earlier = [at for at in times if at < scope.since]
    inside = [at for at in times if scope.since <= at < scope.until]
    is_back = earlier and inside and inside[0] - earlier[-1] >= GONE
    return GroupFigures(
        key=digest_of_group(group).hex(),
        of=group.of,
        tool=each.tool,
        agent=each.agent,
        kind=group.kind,
        reason=group.reason,
        rule=group.rule,
        check=group.check,
        text=group.text,
        calls=counted.calls,
        before=counted.before,
        sessions=len({row.session for row in within if row.session is not None}),
        first_at=first.at,
        last_at=times[-1],
        new_since=deployed if deployed and first.at >= deployed.at else None,
        gone_since=earlier[-1] if is_back else None,
        steps=counted.steps,
    )


def _denied(scope: Scope, name: str, rows: Iterable[CallRow]) -> Denied:
    starts = [each.start for each in scope.steps()]
    steps = [0] * len(starts)
    calls = before = 0
    for row in rows:
        if scope.since <= row.at < scope.until:
            calls += 1
            steps[bisect_right(starts, row.at) - 1] += 1
        elif scope.previous.since <= row.at < scope.since:
            before += 1
    return Denied(name=name, calls=calls, before=before, steps=steps)
