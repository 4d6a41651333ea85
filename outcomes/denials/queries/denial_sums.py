"""Denials in a scope and in the previous period, totaled by reason, rule, tool, agent and time step
from the rollups of denial groups."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import add
from typing import NamedTuple

from outcomes.core.groups import DENIED
from outcomes.core.scope import Scope
from outcomes.figures.queries.group_calls import Governed, newest_governed
from outcomes.figures.queries.group_rollups import GroupReading, Time
from outcomes.figures.queries.groups import (
    BEFORE,
    NOW,
    GroupIdentity,
    identities,
    identities_of_ids,
    time_before,
)
from outcomes.figures.queries.stats import numbered
from outcomes.models import Agent, CallGroup, GroupRollup
from outcomes.record.codec import as_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """Denials of one reason, rule, tool or agent."""

    name: str  # for a rule, empty if unknown
    calls: int
    before: int
    steps: list[int]
    contract: str = ""  # for a rule: the one that governed the newest call
    version: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Denials:
    """Denials of a period, most frequent first in each list. The lists include rows of the previous
    period, so counts may be zero."""

    calls: int = 0
    before: int = 0
    steps: list[int] = field(default_factory=list)
    by_reason: list[Denied] = field(default_factory=list)
    by_rule: list[Denied] = field(default_factory=list)
    by_tool: list[Denied] = field(default_factory=list)
    by_agent: list[Denied] = field(default_factory=list)
    groups: frozenset[int] = frozenset()  # that these figures include


def denials(
    project_id: int,
    scope: Scope,
    *,
    agent: int | None = None,
    rule: str = "",
    at_most: int = 0,
    with_contracts: bool = True,
) -> Denials:
    """Denials of the scope, or of one rule in it, by step, or by at most `at_most` groups of steps.
    Callers that know the row id of the scope's agent pass it to save a query."""
    if agent is None:
        agent = numbered(Agent, project_id, scope.agent)
    reading = GroupReading(
        project=project_id,
        environment=scope.environment,
        of=GroupRollup.Of.DENIALS.value,
        agent=agent,
        sessions=False,
    )
    starts = [each.start for each in scope.steps()]
    starts = starts[:: -(-len(starts) // at_most)] if at_most else starts
    times = [Time(scope.since, scope.until, starts), time_before(scope)]
    if rule:
        rule_groups = CallGroup.objects.filter(project=project_id, of=DENIED, rule=as_text(rule))
        identities_by_id = identities(rule_groups)
        counts = (
            replace(reading, groups=set(identities_by_id)).read_calls(times)
            if identities_by_id
            else {}
        )
    else:
        counts = reading.read_calls(times)
        identities_by_id = identities_of_ids(counts)
    counted = {
        number: _Counted(sum(each[BEFORE]), each[NOW])
        for number, each in counts.items()
        if number in identities_by_id
    }
    total = _denied(len(starts), "", counted.values())

    def by(name_of: Callable[[GroupIdentity], str]) -> list[Denied]:
        named: defaultdict[str, list[_Counted]] = defaultdict(list)
        for number, each in counted.items():
            named[name_of(identities_by_id[number])].append(each)
        sums = [_denied(len(starts), name, those) for name, those in named.items()]
        return sorted(
            (each for each in sums if each.calls or each.before),
            key=lambda each: (-each.calls, -each.before, each.name),
        )

    rules = by(lambda each: each.rule)
    return Denials(
        calls=total.calls,
        before=total.before,
        steps=total.steps,
        by_reason=by(lambda each: each.reason),
        by_rule=_with_contracts(reading, scope, rules, counted, identities_by_id)
        if with_contracts
        else rules,
        by_tool=by(lambda each: each.tool),
        by_agent=by(lambda each: each.agent),
        groups=frozenset(identities_by_id),
    )


class _Counted(NamedTuple):
    """Counts of one group, each part of four totals."""

    before: int
    steps: list[int]


def _denied(number_of_steps: int, name: str, parts: Iterable[_Counted]) -> Denied:
    steps = [0] * number_of_steps
    before = 0
    for each in parts:
        before += each.before
        steps = list(map(add, steps, each.steps))
    return Denied(name=name, calls=sum(steps), before=before, steps=steps)


def _with_contracts(
    reading: GroupReading,
    scope: Scope,
    rules: list[Denied],
    counted: Mapping[int, _Counted],
    identities_by_id: Mapping[int, GroupIdentity],
) -> list[Denied]:
    groups = [number for number, each in counted.items() if any(each.steps)]
    newest: dict[str, Governed] = {}
    for call in newest_governed(
        reading, scope, [each for each in groups if identities_by_id[each].rule]
    ):
        rule = identities_by_id[call.group].rule
        known = newest.get(rule)
        if known is None or (call.at, call.order) > (known.at, known.order):
            newest[rule] = call
    return [
        replace(each, contract=newest[each.name].contract, version=newest[each.name].version)
        if each.name in newest
        else each
        for each in rules
    ]
