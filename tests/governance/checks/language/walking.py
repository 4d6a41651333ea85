"""Runs an automaton's table in the simplest way and counts its steps."""

from bisect import bisect_right

from governance.checks.language.automata import PatternRefused, automaton
from governance.core.compiled_check import Automaton


def matches(automaton: Automaton, text: str) -> bool:
    return walk(automaton, text)[0]


def walk(automaton: Automaton, text: str) -> tuple[bool, int]:
    state = automaton["start"]
    for steps, character in enumerate(text, 1):
        column = automaton["classes"][bisect_right(automaton["bounds"], ord(character)) - 1]
        state = automaton["table"][state * automaton["width"] + column]
        if state < 0:
            return state == -2, steps
    return state in automaton["ends"], len(text)


def count_of_states(automaton: Automaton) -> int:
    return len(automaton["table"]) // automaton["width"]


def made_or_refused(
    pattern: str, *, ignore_case: bool = False, multiline: bool = False
) -> Automaton | PatternRefused:
    try:
        return automaton(pattern, ignore_case=ignore_case, multiline=multiline)
    except PatternRefused as refused:
        return refused
