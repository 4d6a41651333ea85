"""Contract bundles of a project: their versions, what is live where, and what a text would say."""

import re
from collections.abc import Iterable

from django.db.models import Max, OuterRef, QuerySet, Subquery

from governance.core.errors import NotFound, Problem
from governance.models import Bundle, BundleVersion, Deployment, Environment, Project
from governance.texts.metadata import about_the_name

NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,127}")  # agents ask for no longer one


def renamed(document: bytes | str, name: str) -> Problem:
    """A version bears the name of its bundle."""
    message = f"This contract is named `{name}`. Create a new contract to use another name."
    return about_the_name(document, message, fix=name)


def misnamed(document: bytes | str) -> Problem:
    """By no other name could agents ask for it."""
    message = (
        "Use up to 128 lowercase letters, digits, `.`, `_` and `-`, starting with a letter or "
        "digit."
    )
    return about_the_name(document, message)


def name_exists(document: bytes | str, name: str) -> Problem:
    message = f"A contract `{name}` already exists. Choose another name, or edit that contract."
    return about_the_name(document, message)


def bundle_named(project: Project, name: str) -> Bundle | None:
    if not NAME.fullmatch(name):  # a NUL is more than PostgreSQL would look for
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
    """A page of its versions, newest first, without their documents."""
    rows = _with_document(bundle).defer("document", "session_rules").order_by("-number")
    return list((rows.filter(number__lt=before) if before else rows)[:limit])


def newest_versions(project: Project, after: str, limit: int) -> list[BundleVersion]:
    """Newest version of each bundle, without its document, by name."""
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
    """A page of its deployments, newest first; the first of an environment is the live one."""
    rows = _deployments().filter(version__bundle=bundle).order_by("-id")
    if environment:
        rows = rows.filter(environment__name=environment)
    return list((rows.filter(pk__lt=before) if before else rows)[:limit])


def live_deployments(project: Project, bundles: Iterable[int]) -> list[Deployment]:
    """Live deployment of each of these bundles in each environment."""
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
    """By the environment's name, which may be that of none."""
    rows = _deployments().filter(version__bundle=bundle, environment__name=environment)
    return None if "\0" in environment else rows.order_by("-id").first()


def deployment_numbered(project: Project, number: int) -> Deployment | None:
    rows = _deployments().select_related("version__bundle__project")
    return rows.filter(version__bundle__project=project, pk=number).first()


def deployment_before(deployment: Deployment) -> Deployment | None:
    """Previous deployment of the same bundle in the same environment."""
    rows = _deployments().filter(
        version__bundle=deployment.version.bundle_id,
        environment=deployment.environment_id,
        pk__lt=deployment.pk,
    )
    return rows.order_by("-id").first()


def is_way_back(version: BundleVersion, environment: str) -> bool:
    """Whether it was live there directly before what is live there now."""
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
    if not NAME.fullmatch(bundle):  # a NUL is more than PostgreSQL would look for
        return None
    rows = BundleVersion.objects.select_related("bundle__project")
    return rows.filter(bundle__project=project, bundle__name=bundle, number=number).first()


def locked_bundle(bundle: Bundle) -> Bundle:
    """Its row is the queue of those who deploy it, or write its tests: the later one finds what the
    earlier one has made live, or named."""
    rows = Bundle.objects.select_related("project").select_for_update(of=("self",), no_key=True)
    return rows.get(pk=bundle.pk)
