"""The results of a tool by their shape: how many have each, and what verdicts they have."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from outcomes.suggestions.domain.shapes import Shape
from outcomes.suggestions.domain.trials import Result


@dataclass(slots=True)
class OfShape:
    shape: Shape
    newest: Result
    verdicts: Counter[str] = field(default_factory=Counter)

    @property
    def number(self) -> int:
        return self.verdicts.total()

    @property
    def successes(self) -> int:
        return self.verdicts["success"]

    @property
    def failures(self) -> int:
        return self.verdicts["failure"]

    @property
    def unknown(self) -> int:
        return self.verdicts["unknown"]


def results_by_shape(results: Iterable[tuple[Result, Shape, str]]) -> list[OfShape]:
    """Results with their verdicts by shape, the most frequent shape first; each shows its
    newest."""
    groups: dict[str, OfShape] = {}
    for result, shape, verdict in results:
        each = groups.setdefault(shape.digest, OfShape(shape, result))
        each.verdicts[verdict] += 1
    return sorted(groups.values(), key=lambda each: -each.number)
