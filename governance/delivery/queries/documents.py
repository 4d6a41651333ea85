"""Bundles that an agent may be assigned, and the document in force for it."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet, Subquery

from governance.delivery.domain import STOPPED, STOPPED_HASHES, Rule, assignable
from governance.delivery.queries.assignments import rule_of
from governance.delivery.queries.stops import is_stopped
from governance.models import (
    Assignment,
    BundleVersion,
    Deployment,
    Environment,
    Project,
    Rendering,
    Signature,
    SigningKey,
)
from governance.texts.dialect import Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedDocument:
    """Document as served: the same bytes are served, hashed and signed."""

    bundle_name: str
    version: int
    env: str
    revision_hash: str
    document: bytes
    signature: str | None  # base64
    public_key: str  # hex digits; empty if there is no signature
    stopped: bool  # the block-all document, instead of the requested bundle

    @property
    def name(self) -> str:
        return self.bundle_name


def assignable_bundles(project_id: int, environment_id: int, agent: str) -> list[str]:
    """Bundles the agent may be assigned with any tags, as document requests don't include tags."""
    return assignable(assignment_rules(project_id, environment_id), agent)


def served_document(
    project_id: int, environment_id: int, bundle_name: str, agent: str, dialect: Dialect | str
) -> ServedDocument | None:
    """Document in force for this agent; None if the bundle is unknown or not deployed."""
    dialect = Dialect(dialect)
    live = _live(project_id, environment_id, bundle_name)
    if is_stopped(environment_id, agent):
        return _signed(
            project_id,
            bundle_name=bundle_name,
            version=live.version.number if live else 1,  # clients accept integers from 1
            env=live.environment.name if live else _name_of(environment_id),
            revision_hash=STOPPED_HASHES[dialect],
            document=STOPPED[dialect],
            stopped=True,
        )
    rendering = live and Rendering.objects.filter(version=live.version_id, dialect=dialect).first()
    if not live or not rendering:
        return None
    return _signed(
        project_id,
        bundle_name=bundle_name,
        version=live.version.number,
        env=live.environment.name,
        revision_hash=rendering.revision_hash,
        document=bytes(rendering.document),
        stopped=False,
    )


def unsigned_bytes(project: Project) -> Iterator[bytes]:
    """Documents that may be served in this project and the key in use has perhaps not signed."""
    yield from STOPPED.values()
    signed = Signature.objects.filter(
        key__project=project, key__retired_at=None, revision_hash=OuterRef("revision_hash")
    )
    live = Rendering.objects.filter(~Exists(signed), version__in=_live_versions(project))
    for document in live.values_list("document", flat=True).iterator(chunk_size=20):
        yield bytes(document)


def unrendered_versions(project: Project) -> list[BundleVersion]:
    """Deployed versions without renderings, from before renderings were introduced."""
    rendered = Rendering.objects.filter(version=OuterRef("pk"))
    rows = BundleVersion.objects.filter(pk__in=_live_versions(project))
    return list(rows.filter(~Exists(rendered)))


def _live_versions(project: Project) -> QuerySet[Deployment, int]:
    newest = (
        Deployment.objects.filter(
            version__bundle=OuterRef("version__bundle"), environment=OuterRef("environment")
        )
        .order_by("-id")
        .values("pk")[:1]
    )
    rows = Deployment.objects.filter(environment__project=project, pk=Subquery(newest))
    return rows.order_by().values_list("version", flat=True)


def _signed(
    project_id: int,
    *,
    bundle_name: str,
    version: int,
    env: str,
    revision_hash: str,
    document: bytes,
    stopped: bool,
) -> ServedDocument:
    signature = (
        Signature.objects.filter(
            key__project=project_id, key__retired_at=None, revision_hash=revision_hash
        )
        .select_related("key")
        .first()
    )
    return ServedDocument(
        bundle_name=bundle_name,
        version=version,
        env=env,
        revision_hash=revision_hash,
        document=document,
        signature=b64encode(bytes(signature.value)).decode() if signature else None,
        public_key=signature.key.public_key if signature else "",
        stopped=stopped,
    )


def _live(project_id: int, environment_id: int, bundle_name: str) -> Deployment | None:
    if "\0" in bundle_name:  # PostgreSQL rejects NUL in a query
        return None
    return (
        Deployment.objects.filter(
            environment=environment_id,
            version__bundle__project=project_id,
            version__bundle__name=bundle_name,
        )
        .select_related("version", "environment")
        .defer("version__document", "version__session_rules")
        .order_by("-id")
        .first()
    )


def _name_of(environment_id: int) -> str:
    return Environment.objects.values_list("name", flat=True).get(pk=environment_id)


def assignment_rules(project_id: int, environment_id: int) -> list[Rule]:
    """Assignment rules of an environment, to resolve many agents with one query."""
    rows = Assignment.objects.filter(
        environment=environment_id, environment__project=project_id, ended_at=None
    ).select_related("bundle")
    return [rule_of(row) for row in rows]


def retired_signing_keys(project: Project, limit: int = 20) -> list[SigningKey]:
    """Retired signing keys, last retired first."""
    rows = SigningKey.objects.filter(project=project).exclude(retired_at=None)
    return list(rows.order_by("-retired_at", "-id")[:limit])
