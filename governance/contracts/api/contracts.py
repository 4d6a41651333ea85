"""Contracts over HTTP: saved, read, validated, and tried on a call."""

from typing import Any

from ninja import Query, Router, Status

from governance.contracts.commands.contracts import save_version
from governance.contracts.queries.analysis import read_contract, tools_seen
from governance.contracts.queries.contracts import (
    bundle_named,
    live_deployments,
    newest_version,
    newest_versions,
    version_numbered,
    versions_before,
)
from governance.contracts.queries.trial import shown_evaluation, shown_explanation
from governance.contracts.schemas.contracts import (
    CallIn,
    ContractIn,
    ContractOut,
    ContractsOut,
    ContractsQuery,
    EvaluationOut,
    ExplanationOut,
    TextIn,
    ValidationOut,
    VersionOut,
    VersionsQuery,
    live_out,
    version_out,
    version_with_text_out,
)
from governance.core.errors import NotFound
from governance.evaluation import engine
from governance.models import Bundle, BundleVersion, Deployment
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered


def named_bundle(request: AccessRequest, name: str) -> Bundle:
    bundle = bundle_named(project_numbered(request.auth.project_id), name)
    if bundle is None:
        raise NotFound("Contract not found.")
    return bundle


def named_version(bundle: Bundle, number: int | None = None) -> BundleVersion:
    """Without a number the newest."""
    version = newest_version(bundle) if number is None else version_numbered(bundle, number)
    if version is None:
        raise NotFound(f"{bundle.name} has no such version.")
    return version


router = Router(tags=["contracts"])
CAN_READ = KeyOrMember("read")


@router.post(
    "/contracts",
    response={201: VersionOut, 200: VersionOut},
    auth=KeyOrMember(action=Action.WRITE_CONTRACT),
)
def save_contract(request: AccessRequest, body: ContractIn) -> Status[dict[str, Any]]:
    version, is_new = save_version(
        project_numbered(request.auth.project_id),
        document=body.yaml,
        message=body.message,
        by=request.auth.actor,
    )
    return Status(201 if is_new else 200, version_out(version))


@router.get("/contracts", response=ContractsOut, auth=CAN_READ)
def list_contracts(request: AccessRequest, page: Query[ContractsQuery]) -> dict[str, Any]:
    project = project_numbered(request.auth.project_id)
    versions = newest_versions(project, page.cursor, page.limit + 1)
    shown = versions[: page.limit]
    live = live_deployments(project, [version.bundle_id for version in shown])
    return {
        "contracts": [
            version_out(version) | {"deployments": _of(version.bundle_id, live)}
            for version in shown
        ],
        "next": shown[-1].bundle.name if len(versions) > len(shown) else None,
    }


@router.post("/contracts/validate", response=ValidationOut, auth=CAN_READ)
def validate_contract(request: AccessRequest, body: TextIn) -> engine.Validation:
    project = project_numbered(request.auth.project_id)
    return read_contract(body.yaml, tools=tools_seen(project))


@router.post("/contracts/evaluate", response=EvaluationOut, auth=CAN_READ)
def evaluate_contract(request: AccessRequest, body: CallIn) -> engine.Evaluation:
    call = body.call()
    return shown_evaluation(engine.evaluate_call(_source(request, body), call), call)


@router.post("/contracts/explain", response=ExplanationOut, auth=CAN_READ)
def explain_call(request: AccessRequest, body: CallIn) -> engine.Explanation:
    """The decision, and every rule with the values it read or the reason why it did not apply."""
    call = body.call()
    return shown_explanation(engine.explain(_source(request, body), call), call)


@router.get("/contracts/{name}", response=ContractOut, auth=CAN_READ)
def get_contract(request: AccessRequest, name: str, page: Query[VersionsQuery]) -> dict[str, Any]:
    bundle = named_bundle(request, name)
    versions = versions_before(bundle, page.cursor, page.limit + 1)
    shown = versions[: page.limit]
    live = live_deployments(bundle.project, [bundle.pk])
    return version_with_text_out(named_version(bundle)) | {
        "deployments": _of(bundle.pk, live),
        "versions": [version_out(version) for version in shown],
        "next": str(shown[-1].number) if len(versions) > len(shown) else None,
    }


def read_by_the_name(word: str, on: Router = router) -> None:
    """A bundle may bear the name of what is posted at its own address, by whichever router."""

    @on.get(f"/contracts/{word}", response=ContractOut, auth=CAN_READ, include_in_schema=False)
    def get_contract_so_named(request: AccessRequest, page: Query[VersionsQuery]) -> dict[str, Any]:
        return get_contract(request, word, page)


read_by_the_name("validate")
read_by_the_name("evaluate")
read_by_the_name("explain")


def _source(request: AccessRequest, body: CallIn) -> str | bytes:
    if body.yaml is not None:
        return body.yaml
    return bytes(named_version(named_bundle(request, body.name or ""), body.version).document)


def _of(bundle_id: int, live: list[Deployment]) -> list[dict[str, Any]]:
    return [live_out(each) for each in live if each.version.bundle_id == bundle_id]
