"""Versions over HTTP: in either dialect, their rules with lines, what changed between two, and
what they begin from or go on to."""

from typing import Any

from ninja import Query, Router, Status

from governance.contracts.api.contracts import named_bundle, named_version
from governance.contracts.commands.contracts import enforce as make_enforcing
from governance.contracts.domain.meaning import changes
from governance.contracts.domain.templates import template_named, templates
from governance.contracts.queries.bundles import document_of
from governance.contracts.schemas.contracts import (
    VersionOut,
    VersionWithTextOut,
    version_out,
    version_with_text_out,
)
from governance.contracts.schemas.versions import (
    CompareQuery,
    ComparisonOut,
    DialectQuery,
    EnforcementIn,
    OutlineOut,
    TemplatesOut,
    TemplateWithTextOut,
    TextComparisonIn,
    TextComparisonOut,
    in_dialect,
)
from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import NotFound
from governance.models import BundleVersion
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.texts.dialect import Dialect
from governance.texts.document import read_document
from governance.texts.outline import outline

router = Router(tags=["contracts"])
CAN_READ = KeyOrMember("read")


@router.get("/contracts/{name}/versions/{int:version}", response=VersionWithTextOut, auth=CAN_READ)
def get_contract_version(
    request: AccessRequest, name: str, version: int, page: Query[DialectQuery]
) -> dict[str, Any]:
    """Version as saved, or in the requested format."""
    row = _named(request, name, version)
    if not page.dialect or page.dialect == row.dialect:
        return version_with_text_out(row)
    dialect = Dialect(page.dialect)
    return in_dialect(version_with_text_out(row), dialect, document_of(row).text_in(dialect))


@router.get("/contracts/{name}/versions/{int:version}/outline", response=OutlineOut, auth=CAN_READ)
def get_contract_outline(request: AccessRequest, name: str, version: int) -> dict[str, Any]:
    return {"rules": outline(document_of(_named(request, name, version)))}


@router.get("/contracts/{name}/compare", response=ComparisonOut, by_alias=True, auth=CAN_READ)
def compare_contract_versions(
    request: AccessRequest, name: str, page: Query[CompareQuery]
) -> dict[str, Any]:
    """Without `to` the newest version, without `from` the one before that."""
    bundle = named_bundle(request, name)
    to = named_version(bundle).number if page.to is None else page.to
    start = max(1, to - 1) if page.start is None else page.start
    before, after = (named_version(bundle, number) for number in (start, to))
    return {
        "name": name,
        "from": start,
        "to": to,
        "same_text": before.revision_hash == after.revision_hash,
        "changes": changes(document_of(before), document_of(after)),
    }


@router.post("/contracts/{name}/compare", response=TextComparisonOut, by_alias=True, auth=CAN_READ)
def compare_contract_yaml(
    request: AccessRequest, name: str, body: TextComparisonIn
) -> dict[str, Any]:
    """Changes that a text would make by meaning, before it is saved."""
    before = _named(request, name, body.start)
    after = read_document(body.yaml)
    return {
        "name": name,
        "from": before.number,
        "same_text": bytes(before.document) == body.yaml.encode(),
        "changes": changes(document_of(before), after),
    }


@router.post(
    "/contracts/{name}/enforcements",
    response={201: VersionOut, 200: VersionOut},
    auth=KeyOrMember(action=Action.WRITE_CONTRACT),
    openapi_extra=MAY_CONFLICT,
)
def enforce_contract(
    request: AccessRequest, name: str, body: EnforcementIn
) -> Status[dict[str, Any]]:
    """A version in which the default mode is `enforce`; it is not deployed yet."""
    version = _named(request, name, body.version)
    made, is_new = make_enforcing(version, by=request.auth.actor)
    return Status(201 if is_new else 200, version_out(made))


@router.get("/contract-templates", response=TemplatesOut, auth=CAN_READ)
def list_contract_templates(request: AccessRequest) -> dict[str, Any]:
    return {"templates": templates()}


@router.get("/contract-templates/{name}", response=TemplateWithTextOut, auth=CAN_READ)
def get_contract_template(request: AccessRequest, name: str) -> dict[str, Any]:
    template = template_named(name)
    if template is None:
        raise NotFound("Template not found.")
    return {
        "name": template.name,
        "description": template.description,
        "yaml": template.document.text,
    }


def _named(request: AccessRequest, name: str, number: int | None) -> BundleVersion:
    """The newest version, unless another is named."""
    return named_version(named_bundle(request, name), number)
