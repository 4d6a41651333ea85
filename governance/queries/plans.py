"""What deploying a version would do: what changes there by meaning, and what holds it back."""

from dataclasses import dataclass

from governance import requirements
from governance.domain.deploying import Blocked, Required
from governance.domain.document import read_document
from governance.domain.meaning import Change, changes
from governance.models import BundleVersion, Deployment, DeploymentRequest
from governance.queries.contracts import live_in, version_numbered
from governance.queries.projects import environment_with
from governance.queries.requests import required_in, waiting_request
from governance.requirements import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    version: BundleVersion
    environment: str  # by name: it may not exist yet
    live: Deployment | None
    changes: tuple[Change, ...]
    required: Required
    evidence: Evidence | None
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


def plan_of(version: BundleVersion, environment: str) -> Plan:
    """It runs what checks the version, which may take seconds."""
    project = version.bundle.project
    live = live_in(version.bundle, environment)
    required = required_in(project, environment)
    place = environment_with(project, environment)
    if live is not None and live.version_id == version.pk:
        blocked = []
    else:
        blocked = [
            *requirements.failing(version, environment),
            *requirements.lacking(version, environment, required),
        ]
    return Plan(
        version=version,
        environment=environment,
        live=live,
        changes=meaning_between(live.version if live else None, version),
        required=required,
        evidence=requirements.newest_evidence(version, environment),
        blocked=blocked,
        waiting=waiting_request(version.bundle, place) if place else None,
    )


def meaning_between(before: BundleVersion | None, after: BundleVersion) -> tuple[Change, ...]:
    """Their documents are read here when the rows came without them."""
    whole = before and version_numbered(before.bundle, before.number)
    return changes(
        read_document(bytes(whole.document)) if whole else None,
        read_document(bytes(after.document)),
    )
