"""What deploying a version would do: what changes there by meaning, and what holds it back."""

from dataclasses import dataclass

from governance.case_runs.queries import Ran, blocked_by, run_of
from governance.contracts.domain.meaning import changes
from governance.contracts.queries.requests import waiting_request
from governance.core.deployment_requests import Blocked, Required
from governance.deployments import requirements
from governance.deployments.queries.deployments import live_with_text
from governance.deployments.requirements import Evidence
from governance.models import BundleVersion, Deployment, DeploymentRequest
from governance.people.queries.requirements import required_in
from governance.texts.changes import Change
from governance.texts.document import read_document


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    version: BundleVersion
    environment: str  # by name: it may not exist yet
    live: Deployment | None
    changes: tuple[Change, ...]
    required: Required
    evidence: Evidence | None
    narrowed: Evidence | None  # run later than that, on some of the calls only
    tests: Ran | None  # none: nobody asks that of what is live
    blocked: list[Blocked]
    waiting: DeploymentRequest | None  # for any version of the bundle there

    @property
    def is_live(self) -> bool:
        return self.live is not None and self.live.version_id == self.version.pk

    @property
    def goes_back(self) -> bool:
        return self.live is not None and self.live.version.number > self.version.number

    @property
    def can_be_overridden(self) -> bool:
        return bool(self.blocked) and all(each.overridable for each in self.blocked)

    @property
    def is_asked_for(self) -> bool:
        return self.waiting is not None and self.waiting.version_id == self.version.pk


def plan_of(version: BundleVersion, environment: str, required: Required | None = None) -> Plan:
    """It runs the tests of the contract against the version, which may take seconds."""
    live = live_with_text(version.bundle, environment)
    required = required or required_in(version.bundle.project, environment)
    evidence = requirements.newest_evidence(version, environment)
    tests: Ran | None = None
    blocked: list[Blocked] = []
    if live is None or live.version_id != version.pk:
        tests = run_of(version)
        blocked = [*blocked_by(tests), *requirements.lacking(evidence, environment, required)]
    return Plan(
        version=version,
        environment=environment,
        live=live,
        changes=meaning_between(live.version if live else None, version),
        required=required,
        evidence=evidence,
        narrowed=requirements.newer_than(evidence, version, environment),
        tests=tests,
        blocked=blocked,
        waiting=waiting_request(version.bundle, environment),
    )


def meaning_between(before: BundleVersion | None, after: BundleVersion) -> tuple[Change, ...]:
    return changes(
        read_document(bytes(before.document)) if before else None,
        read_document(bytes(after.document)),
    )
