"""The effective verdict of a call, and who decided it: whoever knows most."""

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

from governance.core.verdict import Verdict
from outcomes.record.outcome import ToolDenied, ToolFailure, ToolTimeout

DecidedBy = Literal["", "check", "agent", "default", "type"]

_SUCCESS, _FAILURE, _UNKNOWN = Verdict.SUCCESS, Verdict.FAILURE, Verdict.UNKNOWN
_NOT_RUN: Final = frozenset(["", ToolDenied.kind])
_FAILED: Final = frozenset([ToolTimeout.kind, ToolFailure.kind])
_NAME: Final = 128  # characters


class Effective(NamedTuple):
    verdict: Verdict | None
    decided_by: DecidedBy


class AgentCheck(NamedTuple):
    """The success check that an agent says it judged with."""

    name: str
    version: int | None


def effective(
    kind: str,
    classified: Verdict | None,
    reported: Verdict | None,
    *,
    is_bound: bool,
    own_check: bool,
) -> Effective:
    """`is_bound`: a binding named the check that classified. `own_check`: the agent judged with a
    check of its own, which replaced the default in the agent."""
    if kind in _NOT_RUN:
        return _NONE
    if kind in _FAILED:
        return _BY_TYPE
    if is_bound and classified is not None:
        return Effective(classified, "check")
    if reported is not None and (own_check or classified is None):
        return Effective(reported, "agent")
    if classified is _FAILURE:
        return _DEFAULT_FAILURE
    if reported is _FAILURE:
        return Effective(_FAILURE, "agent")
    if classified is _SUCCESS:
        return _DEFAULT_SUCCESS
    return _NOBODY if reported is None else Effective(reported, "agent")


# Made once: every call that is settled gets one of them.
_NONE: Final = Effective(None, "")
_BY_TYPE: Final = Effective(_FAILURE, "type")
_DEFAULT_SUCCESS: Final = Effective(_SUCCESS, "default")
_DEFAULT_FAILURE: Final = Effective(_FAILURE, "default")
_NOBODY: Final = Effective(_UNKNOWN, "")


def disagrees(reported: Verdict | None, verdict: Verdict | None) -> bool:
    """The agent's verdict and the effective one differ. Unknown disagrees with nothing."""
    if reported == _SUCCESS:
        return verdict == _FAILURE
    return reported == _FAILURE and verdict == _SUCCESS


def agent_check(metadata: Mapping[str, Any] | None) -> AgentCheck | None:
    """From `metadata.success_check`; anything that is no check there is ignored."""
    if metadata is None or "success_check" not in metadata:
        return None
    check = metadata["success_check"]
    if not isinstance(check, dict):
        return None
    name, version = check.get("name"), check.get("version")
    if not isinstance(name, str) or not name:
        return None
    is_number = isinstance(version, int) and not isinstance(version, bool)
    return AgentCheck(name[:_NAME], version if is_number else None)
