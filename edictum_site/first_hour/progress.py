"""Progress of a project through the four steps of Start, derived from recorded data."""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from edictum_site.first_start import FIRST_ENVIRONMENT, FIRST_KEY
from governance.checks.queries.checks import newest_check_versions
from governance.contracts.queries.bundles import newest_deployment, newest_saved_version
from governance.models import ApiKey, BundleVersion, CheckVersion, Deployment, Project
from governance.people.queries.keys import live_keys
from outcomes.demo.queries.first_hour import Received, received
from outcomes.models import Suggestion
from outcomes.suggestions.queries import open_suggestions, scan_of

STEPS = 4


@dataclass(frozen=True)
class Progress:
    keys: list[ApiKey]  # active keys that agents can use
    got: Received
    deployment: Deployment | None  # last one in the key's environment
    version: BundleVersion | None  # last version saved of any contract, if none is deployed
    check: CheckVersion | None  # first by name, if none has checked a call
    suggestions: list[Suggestion]  # open, most outputs first
    scanned_at: datetime | None  # when outputs were last scanned for suggestions

    @cached_property
    def key(self) -> ApiKey | None:
        """Last key used, else the newest."""
        used = [key for key in self.keys if key.last_used_at]
        return max(used, key=_last_use) if used else next(iter(self.keys), None)

    @property
    def suggestion(self) -> Suggestion | None:
        return next(iter(self.suggestions), None)

    @property
    def suspected(self) -> int:
        """Number of outputs that look like failures, by each tool's most frequent pattern."""
        by_tool: dict[int, int] = {}
        for each in self.suggestions:
            by_tool[each.tool_id] = max(by_tool.get(each.tool_id, 0), each.results)
        return sum(by_tool.values())

    @property
    def key_is_printed(self) -> bool:
        """Whether the key is the one printed in the terminal at the first start."""
        return self.key is not None and self.key.maker_id is None and self.key.name == FIRST_KEY

    @property
    def environment(self) -> str:
        return self.key.environment.name if self.key else FIRST_ENVIRONMENT

    @property
    def done(self) -> list[bool]:
        key = self.key
        return [
            key is not None and (key.last_used_at is not None or key.maker_id is not None),
            self.got.calls > 0,
            self.got.under_contract > 0,
            self.got.checked > 0,
        ]

    @property
    def now(self) -> int:
        """Number of the first step that is not done; 0 if all are."""
        return next((number for number, done in enumerate(self.done, 1) if not done), 0)


def progress_of(project: Project) -> Progress:
    scan, got = scan_of(project.pk), received(project.pk)
    keys = [key for key in live_keys(project) if {"agent", "ingest"} & set(key.scopes)]
    known = Progress(
        keys=keys,
        got=got,
        deployment=None,
        version=None,
        check=None if got.checked else next(iter(newest_check_versions(project, "", 1)), None),
        suggestions=open_suggestions(project.pk),
        scanned_at=scan.looked_at if scan else None,
    )
    deployment = newest_deployment(project, known.environment)
    version = None if deployment else newest_saved_version(project)
    return replace(known, deployment=deployment, version=version)


def _last_use(key: ApiKey) -> float:
    return key.last_used_at.timestamp() if key.last_used_at else 0.0
