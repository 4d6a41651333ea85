"""Facets of the session list, with the number of sessions that match each value."""

from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import islice
from typing import Final, NamedTuple, TypeVar

from outcomes.models import Session
from outcomes.sessions.domain.facets import Facets
from outcomes.sessions.queries.order import ORDERS, USUAL
from outcomes.sessions.views.choices import Choices

T = TypeVar("T", bound=Hashable)
SHOWN: Final = 6  # values of a filter; the rest is collapsed
MOST: Final = 60  # of the rest
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
    """Header of a column, or of an order without a column."""

    name: str
    url: str
    current: bool
    ascending: bool
    words: str  # sort order after a click


def facets_shown(counts: Facets, choices: Choices, *, environments: int) -> list[Facet]:
    """Facets with at least one value to choose."""
    chosen = choices.chosen
    version = (chosen.contract, chosen.version) if chosen.version is not None else None
    facets = [
        _name_facet("Agent", counts.agents, chosen.agent, choices, "agent"),
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
                for (name, number), sessions in _most(counts.versions, version)
            ],
        ),
        _name_facet("Limit hit", counts.limits, chosen.limit, choices, "limit"),
        _facet(
            "Has",
            [
                Value(words, counts.has[bit], choices.toggled(bit), bool(chosen.has & bit))
                for bit, words in _HAS.items()
                if counts.has[bit] or chosen.has & bit
            ],
        ),
    ]
    if environments > 1:
        environment = chosen.environment
        facets.insert(
            1, _name_facet("Environment", counts.environments, environment, choices, "environment")
        )
    return [facet for facet in facets if facet.values]


def heads_of(choices: Choices, *, indexed_only: bool) -> dict[str, Head]:
    """Headers by the name of their order; a very long list has only the indexed orders."""
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


def _name_facet(
    title: str, counts: Counter[str], chosen: str, choices: Choices, query: str
) -> Facet:
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
    """Most frequent values, the chosen one first even without sessions."""
    by_count: list[tuple[T, int]] = sorted(
        counts.items(), key=lambda entry: (-entry[1], str(entry[0]))
    )
    if not chosen:
        return by_count
    others = [entry for entry in by_count if entry[0] != chosen]
    return [(chosen, counts[chosen]), *others]


def _facet(title: str, values: Iterable[Value]) -> Facet:
    left = iter(values)
    shown, rest = list(islice(left, SHOWN)), list(islice(left, MOST))
    return Facet(title, shown, rest, sum(1 for _ in left))
