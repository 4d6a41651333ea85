"""Display texts of failure and denial groups."""

from dataclasses import dataclass
from typing import Final

from governance.core.masking import masked_beginning
from outcomes.core.groups import DENIED
from outcomes.figures.queries.groups import GroupFigures, GroupIdentity
from outcomes.models import Call

_TIMEOUT: Final = Call.Kind.TIMEOUT.value
_FAILURE: Final = Call.Kind.FAILURE.value


@dataclass(frozen=True, slots=True)
class GroupWords:
    rule: str  # set as code, before the reason
    text: str
    who: str  # what decided: a check, the agent, or the outcome


def words_of(group: GroupFigures | GroupIdentity) -> GroupWords:
    text = masked_beginning(group.text)
    if group.of == DENIED:
        return GroupWords(group.rule or group.reason, text, f"denied, reason {group.reason}")
    if group.kind == _TIMEOUT:
        return GroupWords("", text or "timed out", "timed out" if text else "")
    if group.kind == _FAILURE:
        return GroupWords("", text or "failed without a reason", "raised an error")
    if not group.check:
        return GroupWords("", text or "reported as a failure", "reported by the agent")
    return GroupWords(group.rule, text, f"check {group.check}")
