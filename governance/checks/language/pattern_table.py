"""Automata of one check: each pattern is compiled once, and their total size is limited."""

import json
from dataclasses import dataclass, field
from typing import Final

from governance.checks.language.automata import PatternRefused, automaton, steps_to
from governance.checks.language.problems import Problems
from governance.checks.language.tree import Node, Word
from governance.checks.language.values import text_of
from governance.core.compiled_check import Automaton

LONGEST: Final = 1_000
MOST_PATTERNS: Final = 200
MOST_STATES: Final = 20_000
MOST_CELLS: Final = 1_000_000
MOST_STEPS: Final = 3_000_000  # a few seconds
# Each rejected pattern may have used its full work budget, so the rest are skipped.
_MOST_REFUSED: Final = 5


@dataclass(slots=True)
class PatternTable:
    problems: Problems
    automata: list[Automaton] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    _read: int = 0
    _states: int = 0
    _cells: int = 0
    _steps: dict[tuple[str, bool, bool], int] = field(default_factory=dict)
    _refused: int = 0

    def place_of(self, node: Node, *, ignore_case: bool, multiline: bool) -> int | None:
        """Index of the pattern's automaton, or None after reporting a problem."""
        pattern = text_of(node, self.problems)
        if pattern is None or not isinstance(node, Word) or self._refused >= _MOST_REFUSED:
            return None
        if not pattern:
            self.problems.at(node, "An empty pattern is found in every text.")
            return None
        if len(pattern) > LONGEST:
            self.problems.at(
                node,
                f"The pattern has {len(pattern):,} characters; at most {LONGEST:,} are allowed.",
            )
            return None
        self._read += 1
        if self._read > MOST_PATTERNS:
            if self._read == MOST_PATTERNS + 1:
                message = f"At most {MOST_PATTERNS} patterns are allowed. Combine several with |."
                self.problems.at(node, message)
            return None
        try:
            made = automaton(pattern, ignore_case=ignore_case, multiline=multiline)
        except PatternRefused as refused:
            self._refused += 1
            if refused.position is None:
                self.problems.at(node, refused.message)
            else:
                self.problems.inside(node, refused.position, refused.message)
            return None
        steps = steps_to(pattern, ignore_case=ignore_case, multiline=multiline)
        self._steps[pattern, ignore_case, multiline] = steps
        if sum(self._steps.values()) > MOST_STEPS:
            self._refused = _MOST_REFUSED
            self.problems.at(node, "The patterns up to here exceed the work limit together.")
            return None
        place = self.add(made)
        if place is None:
            self._refused += 1
            self.problems.at(
                node,
                f"The patterns up to here are too large together: at most {MOST_STATES:,} states "
                f"and tables of {MOST_CELLS:,} cells are kept.",
            )
        return place

    def add(self, made: Automaton) -> int | None:
        """Index of this automaton, or None if the total would exceed the limits."""
        key = json.dumps(made, sort_keys=True)
        if key in self._places:
            return self._places[key]
        cells = len(made["table"])
        states = cells // max(1, made["width"])
        if self._states + states > MOST_STATES or self._cells + cells > MOST_CELLS:
            return None
        self._states += states
        self._cells += cells
        self._places[key] = len(self.automata)
        self.automata.append(made)
        return self._places[key]
