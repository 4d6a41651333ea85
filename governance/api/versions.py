"""Versions over HTTP: in either dialect, their rules with lines, and what changed between two."""

from typing import Any

from ninja import Query, Router

from governance import queries
from governance.auth import AccessRequest, KeyOrMember
from governance.domain.dialect import Dialect
from governance.domain.errors import NotFound
from governance.domain.meaning import changes
from governance.domain.outline import outline
from governance.models import BundleVersion, Project
from governance.queries.bundles import document_of, newest_of
from governance.schemas.contracts import WholeVersionOut, whole_version_out
from governance.schemas.versions import (
    CompareQuery,
    ComparisonOut,
    DialectQuery,
    OutlineOut,
    in_dialect,
)

router = Router(tags=["contracts"])
CAN_READ = KeyOrMember("read")


@router.get("/contracts/{name}/versions/{int:version}", response=WholeVersionOut, auth=CAN_READ)
def get_version(
    request: AccessRequest, name: str, version: int, page: Query[DialectQuery]
) -> dict[str, Any]:
    """As it was written, unless a dialect is asked for."""
    found = _version(request, name, version)
    if not page.dialect or page.dialect == found.dialect:
        return whole_version_out(found)
    dialect = Dialect(page.dialect)
    return in_dialect(whole_version_out(found), dialect, document_of(found).text_in(dialect))


@router.get("/contracts/{name}/versions/{int:version}/outline", response=OutlineOut, auth=CAN_READ)
def get_outline(request: AccessRequest, name: str, version: int) -> dict[str, Any]:
    return {"rules": outline(document_of(_version(request, name, version)))}


@router.get("/contracts/{name}/compare", response=ComparisonOut, by_alias=True, auth=CAN_READ)
def compare_versions(
    request: AccessRequest, name: str, page: Query[CompareQuery]
) -> dict[str, Any]:
    """Without `to` the newest version, without `from` the one before that."""
    newest = newest_of(_project(request), name)
    if not newest:
        raise NotFound("There is no such bundle.")
    to = newest[0].number if page.to is None else page.to
    start = max(1, to - 1) if page.start is None else page.start
    before, after = (_version(request, name, number) for number in (start, to))
    return {
        "name": name,
        "from": start,
        "to": to,
        "same_text": before.revision_hash == after.revision_hash,
        "changes": changes(document_of(before), document_of(after)),
    }


def _project(request: AccessRequest) -> Project:
    return queries.project_numbered(request.auth.project_id)


def _version(request: AccessRequest, name: str, number: int) -> BundleVersion:
    bundle = queries.bundle_named(_project(request), name)
    version = queries.version_numbered(bundle, number) if bundle else None
    if version is None:
        raise NotFound(f"There is no version {number} of that name.")
    return version
