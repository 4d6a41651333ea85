"""What was denied in a scope and in the time before it: by reason, rule, tool and agent, and step
by step, summed from the groups of denials."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import add
from typing import NamedTuple

from outcomes.core.groups import DENIED
from outcomes.core.scope import Scope
from outcomes.figures.queries.group_calls import Governed, newest_governed
from outcomes.figures.queries.group_rollups import GroupReading, Time
from outcomes.figures.queries.groups import BEFORE, NOW, GroupTold, time_before, told_by, told_of
from outcomes.figures.queries.stats import numbered
from outcomes.models import Agent, CallGroup, GroupRollup
from outcomes.record.codec import as_text


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
    groups: frozenset[int] = frozenset()  # those that it was read from


def denials(
    project_id: int,
    scope: Scope,
    *,
    agent: int | None = None,
    rule: str = "",
    at_most: int = 0,
    with_contracts: bool = True,
) -> Denials:
    """All that was denied in the scope, or by one rule; step by step, or `at_most` so many times
    of some steps each. Who knows the number of the scope's agent saves looking for it."""
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
        of_rule = CallGroup.objects.filter(project=project_id, of=DENIED, rule=as_text(rule))
        told = told_by(of_rule)
        found = replace(reading, groups=set(told)).read_calls(times) if told else {}
    else:
        found = reading.read_calls(times)
        told = told_of(found)
    counted = {
        number: _Counted(sum(each[BEFORE]), each[NOW])
        for number, each in found.items()
        if number in told
    }
    whole = _denied(len(starts), "", counted.values())

    def by(name_of: Callable[[GroupTold], str]) -> list[Denied]:
        named: defaultdict[str, list[_Counted]] = defaultdict(list)
        for number, each in counted.items():
            named[name_of(told[number])].append(each)
        sums = [_denied(len(starts), name, those) for name, those in named.items()]
        return sorted(
            (each for each in sums if each.calls or each.before),
            key=lambda each: (-each.calls, -each.before, each.name),
        )

    rules = by(lambda each: each.rule)
    return Denials(
        calls=whole.calls,
        before=whole.before,
        steps=whole.steps,
        by_reason=by(lambda each: each.reason),
        by_rule=_with_contracts(reading, scope, rules, counted, told) if with_contracts else rules,
        by_tool=by(lambda each: each.tool),
        by_agent=by(lambda each: each.agent),
        groups=frozenset(told),
    )


class _Counted(NamedTuple):
    """Of one group, which is part of four sums."""

    before: int
    steps: list[int]


def _denied(number_of_steps: int, name: str, found: Iterable[_Counted]) -> Denied:
    steps = [0] * number_of_steps
    before = 0
    for each in found:
        before += each.before
        steps = list(map(add, steps, each.steps))
    return Denied(name=name, calls=sum(steps), before=before, steps=steps)


def _with_contracts(
    reading: GroupReading,
    scope: Scope,
    rules: list[Denied],
    counted: Mapping[int, _Counted],
    told: Mapping[int, GroupTold],
) -> list[Denied]:
    groups = [number for number, each in counted.items() if any(each.steps)]
    newest: dict[str, Governed] = {}
    for call in newest_governed(reading, scope, [each for each in groups if told[each].rule]):
        rule = told[call.group].rule
        known = newest.get(rule)
        if known is None or (call.at, call.order) > (known.at, known.order):
            newest[rule] = call
    return [
        replace(each, contract=newest[each.name].contract, version=newest[each.name].version)
        if each.name in newest
        else each
        for each in rules
    ]
