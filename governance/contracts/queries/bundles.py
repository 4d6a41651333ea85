"""Contracts for their pages: with deployed versions, or with texts."""

from dataclasses import dataclass

from django.db.models import Count

from governance.contracts.queries.contracts import NAME, live_deployments, newest_versions
from governance.core.free_names import as_free_name
from governance.models import Assignment, Bundle, BundleVersion, Case, Deployment, Project
from governance.texts.document import Document, read_document


@dataclass(frozen=True, slots=True)
class ListedBundle:
    newest: BundleVersion  # without its document
    live: tuple[Deployment, ...]

    @property
    def name(self) -> str:
        return self.newest.bundle.name


def listed_bundles(project: Project, after: str, limit: int) -> list[ListedBundle]:
    """A page of contracts, by name."""
    newest = newest_versions(project, after, limit)
    live = live_deployments(project, [version.bundle_id for version in newest])
    return [
        ListedBundle(
            version,
            tuple(each for each in live if each.version.bundle_id == version.bundle_id),
        )
        for version in newest
    ]


def bundle_names(project: Project, limit: int = 500) -> list[str]:
    names = Bundle.objects.filter(project=project, versions__number=1).order_by("name")
    return list(names.values_list("name", flat=True)[:limit])


def free_name(project: Project, name: str) -> str:
    """This name, with a number appended if a contract already has it."""
    used = Bundle.objects.filter(project=project, name__startswith=name[:100])
    return as_free_name(name, set(used.values_list("name", flat=True)))


def newest_of(project: Project, name: str, number: int) -> list[BundleVersion]:
    """Newest versions of a contract with their texts; empty if there is no such contract."""
    if not NAME.fullmatch(name):
        return []
    rows = BundleVersion.objects.filter(bundle__project=project, bundle__name=name)
    return list(rows.select_related("bundle__project").order_by("-number")[:number])


def assignments_of(bundle: Bundle) -> list[Assignment]:
    """Assignments that give this contract to agents that request none by name, by environment."""
    rows = Assignment.objects.filter(bundle=bundle, ended_at=None).select_related("environment")
    return list(rows.order_by("environment__name", "-priority", "id")[:20])


def places_with_a_past(bundle: Bundle) -> set[int]:
    """Environments with an earlier deployment to roll back to."""
    rows = Deployment.objects.filter(version__bundle=bundle).order_by()
    counted = rows.values_list("environment").annotate(times=Count("pk")).filter(times__gt=1)
    return {environment for environment, _ in counted}


def document_of(version: BundleVersion) -> Document:
    return read_document(bytes(version.document))


def number_of_cases(project: Project, bundle: str) -> int:
    return Case.objects.filter(bundle__project=project, bundle__name=bundle).count()


def newest_deployment(project: Project, environment: str) -> Deployment | None:
    """Latest deployment of any contract in an environment; it is live there."""
    rows = Deployment.objects.filter(
        version__bundle__project=project, environment__name=environment
    )
    return rows.select_related("version__bundle", "environment").order_by("-id").first()


def newest_saved_version(project: Project) -> BundleVersion | None:
    """Last saved version of any contract, without its document."""
    rows = BundleVersion.objects.filter(bundle__project=project).select_related("bundle")
    return rows.defer("document", "session_rules").order_by("-id").first()
