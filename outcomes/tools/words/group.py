"""What a group of failures, or of denials, is called."""

from dataclasses import dataclass
from typing import Final

from governance.core.masking import masked_beginning
from outcomes.core.groups import DENIED
from outcomes.figures.queries.groups import GroupFigures, GroupTold
from outcomes.models import Call

_TIMEOUT: Final = Call.Kind.TIMEOUT.value
_FAILURE: Final = Call.Kind.FAILURE.value


@dataclass(frozen=True, slots=True)
class GroupWords:
    rule: str  # in the letters of machines, before the reason
    text: str
    who: str  # says so


def words_of(group: GroupFigures | GroupTold) -> GroupWords:
    text = masked_beginning(group.text)
    if group.of == DENIED:
        return GroupWords(group.rule or group.reason, text, f"denied, reason {group.reason}")
    if group.kind == _TIMEOUT:
        return GroupWords("", text or "timed out", "timed out" if text else "")
    if group.kind == _FAILURE:
        return GroupWords("", text or "failed without a reason", "raised, or said that it failed")
    if not group.check:
        return GroupWords("", text or "reported as a failure", "reported by the agent")
    return GroupWords(group.rule, text, f"judged by {group.check}")
