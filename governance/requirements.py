"""What an environment asks for of a version and does not have yet, and where backtests are found.

Governance knows nothing of calls, so whoever has them says here what a backtest of these bytes
found: one function, set when the apps are ready.
"""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple, TypeAlias

from governance.domain.deploying import Blocked, Required
from governance.models import BundleVersion
from governance.models import Project as Project  # others meet it here


class Evidence(NamedTuple):
    """The newest finished backtest of exactly these bytes on the calls of an environment."""

    number: int  # what its page is found by
    finished_at: datetime
    calls: int
    newly_denied: int
    newly_allowed: int
    newly_asking: int
    changed: int
    undetermined: int
    unchanged: int


# Project, name of the environment, SHA-256 of the bytes as written.
EvidenceOf: TypeAlias = Callable[[Project, str, str], Evidence | None]

evidence_of: EvidenceOf | None = None


def newest_evidence(version: BundleVersion, environment: str) -> Evidence | None:
    if evidence_of is None:
        return None
    return evidence_of(version.bundle.project, environment, version.revision_hash)


def lacking(evidence: Evidence | None, environment: str, required: Required) -> list[Blocked]:
    """What the environment asks for of the bytes that this is evidence of, and does not have."""
    found = required.backtest(evidence.newly_denied if evidence else None, environment)
    return [found] if found else []
