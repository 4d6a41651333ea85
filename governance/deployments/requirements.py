"""What an environment asks for of a version and does not have yet, and where backtests are found.

Governance knows nothing of calls, so whoever has them says here what backtests of these bytes
found: two functions, set when the apps are ready.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, TypeAlias

from governance.core.deployment_requests import Blocked, Required
from governance.models import BundleVersion
from governance.models import Project as Project  # others meet it here


class Evidence(NamedTuple):
    """A finished backtest of exactly these bytes."""

    number: int  # what its page is found by
    finished_at: datetime
    calls: int
    newly_denied: int
    newly_allowed: int
    newly_asking: int
    changed: int
    undetermined: int
    unchanged: int
    over: str = ""  # which calls, in words


# Project, name of the environment, SHA-256 of the bytes as written.
EvidenceOf: TypeAlias = Callable[[Project, str, str], Evidence | None]

# The newest over all agents and tools there, which is what an environment may require; and the
# newest whatever it was narrowed to, which is only told.
evidence_of: EvidenceOf | None = None
newest_of: EvidenceOf | None = None


def newest_evidence(version: BundleVersion, environment: str) -> Evidence | None:
    return _asked(evidence_of, version, environment)


def newer_than(
    evidence: Evidence | None, version: BundleVersion, environment: str
) -> Evidence | None:
    """What was run last of these bytes, where that is no evidence."""
    newest = _asked(newest_of, version, environment)
    is_evidence = evidence is not None and newest is not None and newest.number <= evidence.number
    return None if is_evidence else newest


def lacking(evidence: Evidence | None, environment: str, required: Required) -> list[Blocked]:
    """What the environment asks for of the bytes that this is evidence of, and does not have."""
    found = required.backtest(evidence.newly_denied if evidence else None, environment)
    return [found] if found else []


def _asked(of: EvidenceOf | None, version: BundleVersion, environment: str) -> Evidence | None:
    if of is None:
        return None
    return of(version.bundle.project, environment, version.revision_hash)
