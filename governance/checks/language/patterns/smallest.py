"""Minimizes a state table by merging equivalent states and identical columns."""

from collections import defaultdict

from governance.checks.language.patterns.subsets import DEAD, MATCHED, States


def smallest(states: States) -> tuple[States, list[int]]:
    """Minimized states, the first still first, and the new column of each old one."""
    blocks = _equal_states(states)
    named = {blocks[DEAD]: DEAD, blocks[MATCHED]: MATCHED}
    # The first state keeps its own row, because a walk always starts there.
    merged = States()
    numbers: dict[int, int] = {}
    waiting = [0]
    while len(merged.rows) < len(waiting):
        old = waiting[len(merged.rows)]
        row = []
        for target in states.rows[old]:
            block = blocks[target]
            if block in named:
                row.append(named[block])
                continue
            if block not in numbers:
                numbers[block] = 0 if block == blocks[0] else len(waiting)
                if numbers[block]:
                    waiting.append(target)
            row.append(numbers[block])
        merged.rows.append(row)
        merged.ends.append(states.ends[old])
    return _equal_columns(merged)


def _equal_columns(states: States) -> tuple[States, list[int]]:
    columns: dict[tuple[int, ...], int] = {}
    new = [columns.setdefault(column, len(columns)) for column in zip(*states.rows, strict=True)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return States(rows, states.ends), new


def _equal_states(states: States) -> list[int]:
    """Block of each state, including DEAD and MATCHED, which negative indexes address.

    Hopcroft's algorithm: a block is split by the states that lead into another block, and the
    smaller half is queued.
    """
    count = len(states.rows)
    everything = count + 2
    width = len(states.rows[0])
    sources: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(width)]
    rows = [*states.rows, [MATCHED] * width, [DEAD] * width]
    for state, row in enumerate(rows):
        for column, target in enumerate(row):
            sources[column][target % everything].append(state)
    accepting = {state for state, ends in enumerate(states.ends) if ends} | {everything + MATCHED}
    blocks = [accepting, set(range(everything)) - accepting]
    block_of = [0 if state in accepting else 1 for state in range(everything)]
    waiting = {0, 1}
    while waiting:
        splitter = tuple(blocks[waiting.pop()])
        for leading in sources:
            touched: dict[int, set[int]] = defaultdict(set)
            for target in splitter:
                for state in leading.get(target, ()):
                    touched[block_of[state]].add(state)
            for block, inside in touched.items():
                if len(inside) < len(blocks[block]):
                    _split(blocks, block_of, block, inside)
                    waiting.add(len(blocks) - 1)  # if the old one is queued, both are, as required
    return block_of


def _split(blocks: list[set[int]], block_of: list[int], block: int, inside: set[int]) -> None:
    """Move the smaller part into a block of its own."""
    moved = inside if 2 * len(inside) <= len(blocks[block]) else blocks[block] - inside
    blocks[block] -= moved
    for state in moved:
        block_of[state] = len(blocks)
    blocks.append(moved)
