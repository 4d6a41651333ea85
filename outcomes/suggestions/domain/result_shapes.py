"""Outputs of a tool grouped by shape, with the number of each verdict."""

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
    """Outputs grouped by shape, most frequent shape first. Each group shows its newest output."""
    groups: dict[str, OfShape] = {}
    for result, shape, verdict in results:
        each = groups.setdefault(shape.digest, OfShape(shape, result))
        each.verdicts[verdict] += 1
    return sorted(groups.values(), key=lambda each: -each.number)
