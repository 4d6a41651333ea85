"""A call as its session counts it."""

from dataclasses import dataclass

from governance.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call as its session counts it."""

    kind: str | None  # of the outcome; None or empty while the call is open
    tool: str
    verdict: Verdict | None = None  # the effective one
    reported: Verdict | None = None
    checked: bool = False  # it has a classified verdict
    reason: str = ""
    rule: str | None = None
    from_sdk: bool = False
    version: int | None = None  # of the contracts that governed the call
