"""Requirements that a version does not meet yet, and the hook for backtests.

Governance has no access to calls, so the outcomes app sets two functions here at startup that find
backtests of a document.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, TypeAlias

from governance.core.deployment_requests import Blocked, Required
from governance.models import BundleVersion
from governance.models import Project as Project  # re-exported


class Evidence(NamedTuple):
    """A finished backtest of this exact document."""

    number: int  # in the URL of its page
    finished_at: datetime
    calls: int
    newly_denied: int
    newly_allowed: int
    newly_asking: int
    changed: int
    undetermined: int
    unchanged: int
    over: str = ""  # which calls, as text


# Project, name of the environment, SHA-256 of the bytes as written.
EvidenceOf: TypeAlias = Callable[[Project, str, str], Evidence | None]

# Newest backtest over all agents and tools there, which an environment may require; and newest
# backtest with any filter, which is only shown.
evidence_of: EvidenceOf | None = None
newest_of: EvidenceOf | None = None


def newest_evidence(version: BundleVersion, environment: str) -> Evidence | None:
    return _evidence(evidence_of, version, environment)


def newer_than(
    evidence: Evidence | None, version: BundleVersion, environment: str
) -> Evidence | None:
    """Newest backtest of this document, unless it is the evidence."""
    newest = _evidence(newest_of, version, environment)
    is_evidence = evidence is not None and newest is not None and newest.number <= evidence.number
    return None if is_evidence else newest


def lacking(evidence: Evidence | None, environment: str, required: Required) -> list[Blocked]:
    """Requirements of the environment that the evidence doesn't meet."""
    blocked = required.backtest(evidence.newly_denied if evidence else None, environment)
    return [blocked] if blocked else []


def _evidence(of: EvidenceOf | None, version: BundleVersion, environment: str) -> Evidence | None:
    if of is None:
        return None
    return of(version.bundle.project, environment, version.revision_hash)
