"""Masking rules, tried on recorded calls."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from governance.core.masks.stored import StoredMasking
from outcomes.masking.domain.trial import Change, changes
from outcomes.masking.queries.stored_values import call_values
from outcomes.models import Call
from outcomes.stored.queries import read_calls

CALLS: Final = 200  # the newest ones, on which rules are tried
PLACES: Final = 50  # shown at most
_PARTS: Final = frozenset(
    ["tool_args", "principal", "metadata", "output", "error", "reason", "details", "summary"]
)
TEXT: Final = 300  # characters of a masked text


@dataclass(frozen=True, slots=True)
class SecretPlace:
    call: Call
    change: Change

    @property
    def text(self) -> str:
        text = self.change.text
        return text if len(text) <= TEXT else text[:TEXT] + "…"


@dataclass(frozen=True, slots=True)
class Trial:
    calls: int
    counts: dict[str, int]  # by detector
    first: list[SecretPlace]

    @property
    def places(self) -> int:
        return sum(self.counts.values())


def try_masking(project_id: int, masking: StoredMasking) -> Trial:
    rows = list(Call.objects.filter(project=project_id).order_by("-at", "-id")[:CALLS])
    counts = Counter[str]()
    first: list[SecretPlace] = []
    for call in read_calls(rows):
        values = {name: value for name, value in call_values(call).items() if name in _PARTS}
        for change in changes(values, masking.value(values, Counter())):
            counts.update(change.detectors)
            if len(first) < PLACES:
                first.append(SecretPlace(call.row, change))
    return Trial(len(rows), dict(sorted(counts.items())), first)
