"""Compiles a regular expression to a state table, with one step per character in any language.

It only tells whether the pattern matches somewhere. The table covers `^ $ \\b`, so a walk needs
nothing else. Reasons and an example: docs/adr/0016-patterns-are-automata.md.
"""

from dataclasses import dataclass
from functools import lru_cache

from governance.checks.language.patterns.alphabet import alphabet_of
from governance.checks.language.patterns.nodes import PatternRefused, Reason
from governance.checks.language.patterns.positions import positions_of
from governance.checks.language.patterns.smallest import smallest
from governance.checks.language.patterns.subsets import MOST_STATES, states_of
from governance.checks.language.patterns.syntax import read
from governance.core.compiled_check import Automaton

__all__ = ["LONGEST", "MOST_STATES", "PatternRefused", "Reason", "automaton", "steps_to"]

LONGEST = 10_000  # characters


@dataclass(frozen=True, slots=True)
class _Made:
    automaton: Automaton
    steps: int


def automaton(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> Automaton:
    """Automaton of a pattern. All callers share one cached instance, so it must not be modified."""
    return _made(pattern, ignore_case=ignore_case, multiline=multiline).automaton


def steps_to(pattern: str, *, ignore_case: bool = False, multiline: bool = False) -> int:
    """Work to build the automaton, for callers with a budget; a million or two take a second."""
    return _made(pattern, ignore_case=ignore_case, multiline=multiline).steps


def _made(pattern: str, *, ignore_case: bool, multiline: bool) -> _Made:
    if len(pattern) > LONGEST:
        raise PatternRefused(
            f"A pattern has at most {LONGEST:,} characters.", LONGEST, reason=Reason.TOO_LONG
        )
    known = _tried(pattern, ignore_case=ignore_case, multiline=multiline)
    if isinstance(known, PatternRefused):
        raise PatternRefused(known.message, known.position, reason=known.reason)
    return known


@lru_cache(maxsize=64)  # typing in the editor recompiles the same patterns repeatedly
def _tried(pattern: str, *, ignore_case: bool, multiline: bool) -> _Made | PatternRefused:
    try:
        return _worked_out(pattern, ignore_case=ignore_case, multiline=multiline)
    except PatternRefused as refused:
        return refused.with_traceback(None)


def _worked_out(pattern: str, *, ignore_case: bool, multiline: bool) -> _Made:
    positions = positions_of(read(pattern, ignore_case=ignore_case, multiline=multiline))
    alphabet = alphabet_of(positions)
    states, columns = smallest(states_of(positions, alphabet))
    bounds: list[int] = []
    classes: list[int] = []
    for bound, number in zip(alphabet.bounds, alphabet.numbers, strict=True):
        if not classes or classes[-1] != columns[number]:
            bounds.append(bound)
            classes.append(columns[number])
    made = Automaton(
        bounds=bounds,
        classes=classes,
        width=len(states.rows[0]),
        start=0,
        table=[cell for row in states.rows for cell in row],
        ends=[state for state, accepted in enumerate(states.ends) if accepted],
    )
    return _Made(made, positions.work.spent)
