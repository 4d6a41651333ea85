"""The four steps from a suggestion to corrected verdicts."""

from enum import StrEnum


class Step(StrEnum):
    DRAFT = "draft"
    SAVE = "save"
    BIND = "bind"
    RECLASSIFY = "reclassify"


def next_step(*, drafted: bool, saved: bool, bound: bool, past_calls: int) -> Step | None:
    """Next step, or None if all are done."""
    if not saved:
        return Step.SAVE if drafted else Step.DRAFT
    if not bound:
        return Step.BIND
    return Step.RECLASSIFY if past_calls else None
