"""The filters beside the list of sessions, each value with how many it would show."""

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from outcomes.models import Session
from outcomes.sessions.domain.facets import Facets
from outcomes.sessions.queries.order import ORDERS, USUAL
from outcomes.sessions.views.choices import STATES, Choices

T = TypeVar("T", bound=Hashable)
SHOWN: Final = 6  # values of a filter; the rest opens
MOST: Final = 60  # of the rest
_STATES: Final = STATES | {"stopped": "Stopped by a limit"}
_HAS: Final = {
    Session.Has.DENIALS: "Denials",
    Session.Has.DISAGREEMENTS: "Disagreements",
    Session.Has.ARTIFACTS: "Artifacts",
    Session.Has.WASTE: "Waste",
}


class Value(NamedTuple):
    words: str
    sessions: int
    url: str
    current: bool


class Facet(NamedTuple):
    title: str
    values: list[Value]
    rest: list[Value]
    left_out: int


class Head(NamedTuple):
    """Of a column, or an order that has none."""

    name: str
    url: str
    current: bool
    ascending: bool
    words: str  # how the list is sorted when it is pressed


def facets_shown(found: Facets, choices: Choices, *, environments: int) -> list[Facet]:
    """A filter with nothing to choose is not there."""
    chosen = choices.chosen
    version = (chosen.contract, chosen.version) if chosen.version is not None else None
    facets = [
        _facet("State", _states(found, choices)),
        _of("Agent", found.agents, chosen.agent, choices, "agent"),
        _facet(
            "Contract version",
            [
                Value(
                    f"{name} v{number}",
                    sessions,
                    choices.with_other(contract="", version="")
                    if (name, number) == version
                    else choices.with_other(contract=name, version=str(number)),
                    (name, number) == version,
                )
                for (name, number), sessions in _most(found.versions, version)
            ],
        ),
        _of("Limit reached", found.limits, chosen.limit, choices, "limit"),
        _facet(
            "Has",
            [
                Value(words, found.has[bit], choices.toggled(bit), bool(chosen.has & bit))
                for bit, words in _HAS.items()
                if found.has[bit] or chosen.has & bit
            ],
        ),
    ]
    if environments > 1:
        environment = chosen.environment
        facets.insert(
            2, _of("Environment", found.environments, environment, choices, "environment")
        )
    return [facet for facet in facets if facet.values]


def heads_of(choices: Choices, *, indexed_only: bool) -> dict[str, Head]:
    """By the name of the order; of very many sessions only some can be had."""
    heads = {}
    for name, order in ORDERS.items():
        if indexed_only and not order.indexed:
            continue
        current = name == (choices.sort or USUAL)
        turned = current and choices.turned
        next_words = order.turned if current and not choices.turned else order.words
        heads[name] = Head(
            order.name, choices.sorted_by(name), current, order.ascending != turned, next_words
        )
    return heads


def _states(found: Facets, choices: Choices) -> list[Value]:
    state = choices.chosen.state
    return [
        Value(
            words,
            found.states[name],
            choices.with_other(state="" if name == state else name),
            name == state,
        )
        for name, words in _STATES.items()
        if name and (found.states[name] or name == state)
    ]


def _of(title: str, counts: Counter[str], chosen: str, choices: Choices, query: str) -> Facet:
    return _facet(
        title,
        [
            Value(
                name or "unknown",
                sessions,
                choices.with_other(**{query: "" if name == chosen else name}),
                name == chosen,
            )
            for name, sessions in _most(counts, chosen)
            if name
        ],
    )


def _most(counts: Counter[T], chosen: T | None) -> list[tuple[T, int]]:
    """What is chosen comes first, though it may have none."""
    by_count: list[tuple[T, int]] = sorted(
        counts.items(), key=lambda each: (-each[1], str(each[0]))
    )
    if not chosen:
        return by_count
    others = [each for each in by_count if each[0] != chosen]
    return [(chosen, counts[chosen]), *others]


def _facet(title: str, values: Iterable[Value]) -> Facet:
    left = iter(values)
    shown, rest = list(islice(left, SHOWN)), list(islice(left, MOST))
    return Facet(title, shown, rest, sum(1 for _ in left))
