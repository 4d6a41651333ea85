"""Contracts of a project: versions, live deployments, and problems with their names."""

import re
from collections.abc import Iterable

from django.db.models import Max, OuterRef, QuerySet, Subquery

from governance.core.errors import NotFound, Problem
from governance.models import Bundle, BundleVersion, Deployment, Environment, Project
from governance.texts.metadata import about_the_name

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")  # agents can't request longer names


def renamed(document: bytes | str, name: str) -> Problem:
    """Problem for a document that has another name than its contract."""
    message = f"This contract is named `{name}`. Create a new contract to use another name."
    return about_the_name(document, message, fix=name)


def misnamed(document: bytes | str) -> Problem:
    """Problem for a name by which agents can't request the contract."""
    message = (
        "Use up to 128 lowercase letters, digits, `.`, `_` and `-`, starting with a letter or "
        "digit."
    )
    return about_the_name(document, message)


def name_exists(document: bytes | str, name: str) -> Problem:
    message = f"A contract `{name}` already exists. Choose another name, or edit that contract."
    return about_the_name(document, message)


def bundle_named(project: Project, name: str) -> Bundle | None:
    if not NAME.fullmatch(name):  # PostgreSQL rejects NUL
        return None
    return Bundle.objects.filter(project=project, name=name).first()


def existing_bundle(project: Project, name: str) -> Bundle:
    """Contract of this name, or NotFound."""
    bundle = bundle_named(project, name)
    if bundle is None:
        raise NotFound("Contract not found.")
    return bundle


def newest_version(bundle: Bundle) -> BundleVersion | None:
    return _with_document(bundle).order_by("-number").first()


def version_numbered(bundle: Bundle, number: int) -> BundleVersion | None:
    return _with_document(bundle).filter(number=number).first()


def versions_before(bundle: Bundle, before: int | None, limit: int) -> list[BundleVersion]:
    """A page of the contract's versions, newest first, without their documents."""
    rows = _with_document(bundle).defer("document", "session_rules").order_by("-number")
    return list((rows.filter(number__lt=before) if before else rows)[:limit])


def newest_versions(project: Project, after: str, limit: int) -> list[BundleVersion]:
    """Newest version of each contract, without its document, by name."""
    newest = (
        BundleVersion.objects.filter(bundle=OuterRef("bundle"))
        .order_by()
        .values("bundle")
        .annotate(newest=Max("number"))
        .values("newest")
    )
    rows = (
        BundleVersion.objects.filter(
            bundle__project=project, bundle__name__gt=after, number=Subquery(newest)
        )
        .select_related("bundle")
        .defer("document", "session_rules")
        .order_by("bundle__name")
    )
    return list(rows[:limit])


def deployments_before(
    bundle: Bundle, before: int | None, limit: int, *, environment: str = ""
) -> list[Deployment]:
    """A page of the contract's deployments, newest first; per environment, the first is live."""
    rows = _deployments().filter(version__bundle=bundle).order_by("-id")
    if environment:
        rows = rows.filter(environment__name=environment)
    return list((rows.filter(pk__lt=before) if before else rows)[:limit])


def live_deployments(project: Project, bundles: Iterable[int]) -> list[Deployment]:
    """Live deployment of each of these contracts in each environment."""
    newest = (
        Deployment.objects.filter(
            version__bundle=OuterRef("version__bundle"), environment=OuterRef("environment")
        )
        .order_by("-id")
        .values("pk")[:1]
    )
    return list(
        _deployments()
        .filter(
            version__bundle__project=project,
            version__bundle__in=list(bundles),
            pk=Subquery(newest),
        )
        .order_by("version__bundle__name", "environment__name")
    )


def live_deployment(bundle: Bundle, environment: Environment) -> Deployment | None:
    rows = _deployments().filter(version__bundle=bundle, environment=environment)
    return rows.order_by("-id").first()


def live_in(bundle: Bundle, environment: str) -> Deployment | None:
    """Live deployment in the environment of this name, which may not exist."""
    rows = _deployments().filter(version__bundle=bundle, environment__name=environment)
    return None if "\0" in environment else rows.order_by("-id").first()


def deployment_numbered(project: Project, number: int) -> Deployment | None:
    rows = _deployments().select_related("version__bundle__project")
    return rows.filter(version__bundle__project=project, pk=number).first()


def deployment_before(deployment: Deployment) -> Deployment | None:
    """Previous deployment of the same contract in the same environment."""
    rows = _deployments().filter(
        version__bundle=deployment.version.bundle_id,
        environment=deployment.environment_id,
        pk__lt=deployment.pk,
    )
    return rows.order_by("-id").first()


def is_way_back(version: BundleVersion, environment: str) -> bool:
    """Whether this version was live there right before the current one."""
    live = live_in(version.bundle, environment)
    before = deployment_before(live) if live else None
    return before is not None and before.version_id == version.pk


def _with_document(bundle: Bundle) -> QuerySet[BundleVersion]:
    return BundleVersion.objects.filter(bundle=bundle).select_related("bundle__project")


def _deployments() -> QuerySet[Deployment]:
    return Deployment.objects.select_related("environment", "version__bundle").defer(
        "version__document", "version__session_rules"
    )


def version_of(project: Project, bundle: str, number: int) -> BundleVersion | None:
    if not NAME.fullmatch(bundle):  # PostgreSQL rejects NUL
        return None
    rows = BundleVersion.objects.select_related("bundle__project")
    return rows.filter(bundle__project=project, bundle__name=bundle, number=number).first()


def locked_bundle(bundle: Bundle) -> Bundle:
    """Lock the contract's row, which serializes deployments and changes to tests: the later one
    sees what the earlier one deployed or saved."""
    rows = Bundle.objects.select_related("project").select_for_update(of=("self",), no_key=True)
    return rows.get(pk=bundle.pk)
