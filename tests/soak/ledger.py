"""Ledger of a soak: actions, responses and problems."""

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.soak.faults import Faults

if TYPE_CHECKING:
    from tests.soak.soak import Party


@dataclass(slots=True)
class Ledger:
    """Results of a soak; `problems` is empty if everything is correct."""

    seconds: float = 0.0
    lines: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def all_problems(self) -> list[str]:
        statuses: dict[str, dict[int, int]] = self.lines.get("statuses", {})
        errors = [f"{by[500]} times 500: {name}" for name, by in statuses.items() if 500 in by]
        return [*self.problems, *errors]

    def text(self, store: str) -> str:
        load = os.getloadavg()[0]
        lines = [f"{store}, {self.seconds:.0f} s, load of the machine {load:.1f}"]
        lines += [f"  {name}: {value}" for name, value in self.lines.items() if value]
        lines += [f"  WRONG: {problem}" for problem in self.all_problems[:50]]
        if not self.all_problems:
            lines.append("  Nothing lost, nothing doubled, no 500, every verdict and count right.")
        return "\n".join(lines) + "\n"


def lines_of(party: "Party", faults: Faults, removed: int) -> dict[str, Any]:
    acknowledged = party.poster.acknowledged
    pages = sorted(party.reader.heard.seconds) or [0.0]
    return {
        "faults": dict(sorted(faults.counts.items())),
        "not tried": faults.left_out,
        "posts acknowledged": acknowledged.posts,
        "bodies sent again": acknowledged.repeats,
        "calls acknowledged": len(acknowledged.calls),
        "calls for retention": removed,
        "increments acknowledged": sum(each.acknowledged.total() for each in party.counters),
        "increments without an answer": sum(each.unsure.total() for each in party.counters),
        "streams opened": f"{party.streams.opened} by {party.streams.count} agents",
        "jobs": dict(sorted(party.jobs.ended.items())),
        "failed jobs": party.jobs.reasons,
        "pages": f"{len(pages)}, p95 {pages[len(pages) * 95 // 100]:.2f} s",
        "statuses": {name: dict(sorted(by.items())) for name, by in _statuses(party).items()},
        "memory, MB": {
            name: f"{first:.0f} then {second:.0f}"
            for name, (first, second) in party.memory.halves().items()
        },
    }


def _statuses(party: "Party") -> dict[str, Counter[int]]:
    counted: Counter[int] = sum((each.heard.statuses for each in party.counters), Counter())
    return {
        "posts": party.poster.acknowledged.statuses,
        "session store": counted,
        "pages": party.reader.heard.statuses,
        "jobs": party.jobs.heard.statuses,
        "streams": party.streams.statuses,
    }
