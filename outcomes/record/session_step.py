"""A call reduced to what the state of its session is computed from."""

from dataclasses import dataclass

from governance.core.verdict import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call, reduced to what the state of its session is computed from."""

    kind: str | None  # of the outcome; None or empty while the call is open
    tool: str
    verdict: Verdict | None = None  # effective verdict
    reported: Verdict | None = None
    checked: bool = False  # the call has a classified verdict
    reason: str = ""
    rule: str | None = None
    from_sdk: bool = False
    version: int | None = None  # of the contracts that governed the call
