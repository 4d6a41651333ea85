"""Tests of contracts over HTTP: stored, ordered, and run."""

from typing import Any

from ninja import Router, Status

from governance.case_runs.queries import cases_of, run_of, run_text, stored_run
from governance.cases import commands as cases_commands
from governance.cases.queries import case_numbered
from governance.cases.schemas import (
    CaseIn,
    CaseOut,
    CasesIn,
    CasesOut,
    RunIn,
    RunOut,
    case_out,
    run_out,
)
from governance.contracts.api.contracts import named_bundle, named_version
from governance.core.cases import Case as CaseSpec
from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import NotFound
from governance.models import Bundle, Case
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action

router = Router(tags=["contracts"])
CAN_READ = KeyOrMember("read")
CAN_WRITE = KeyOrMember(action=Action.WRITE_CONTRACT)


@router.get("/contracts/{name}/cases", response=CasesOut, auth=CAN_READ)
def list_cases(request: AccessRequest, name: str) -> dict[str, Any]:
    return _cases(cases_of(named_bundle(request, name)))


@router.put(
    "/contracts/{name}/cases", response=CasesOut, auth=CAN_WRITE, openapi_extra=MAY_CONFLICT
)
def replace_cases(request: AccessRequest, name: str, body: CasesIn) -> dict[str, Any]:
    cases = [each.case() for each in body.cases]
    bundle = named_bundle(request, name)
    return _cases(cases_commands.replace_cases(bundle, cases, by=request.auth.actor))


@router.post(
    "/contracts/{name}/cases", response={201: CaseOut}, auth=CAN_WRITE, openapi_extra=MAY_CONFLICT
)
def add_case(request: AccessRequest, name: str, body: CaseIn) -> Status[dict[str, Any]]:
    row = cases_commands.add_case(named_bundle(request, name), body.case(), by=request.auth.actor)
    return Status(201, case_out(row))


@router.put(
    "/contracts/{name}/cases/{int:case_id}",
    response=CaseOut,
    auth=CAN_WRITE,
    openapi_extra=MAY_CONFLICT,
)
def update_case(request: AccessRequest, name: str, case_id: int, body: CaseIn) -> dict[str, Any]:
    row = _case(named_bundle(request, name), case_id)
    return case_out(cases_commands.change_case(row, body.case(), by=request.auth.actor))


@router.delete("/contracts/{name}/cases/{int:case_id}", response={204: None}, auth=CAN_WRITE)
def delete_case(request: AccessRequest, name: str, case_id: int) -> Status[None]:
    cases_commands.remove_case(_case(named_bundle(request, name), case_id), by=request.auth.actor)
    return Status(204, None)


@router.post("/contracts/{name}/cases/run", response=RunOut, auth=CAN_READ)
def run_cases(request: AccessRequest, name: str, body: RunIn) -> dict[str, Any]:
    """Run the tests without storing results; saves and deployments store them.

    With `yaml` and `cases` the contract need not exist yet.
    """
    cases = None if body.cases is None else [each.case() for each in body.cases]
    if cases is not None:
        cases_commands.refuse_unfit_cases(cases)
    if body.yaml is not None:
        return run_out(run_text(body.yaml, _specs(request, name) if cases is None else cases))
    version = named_version(named_bundle(request, name), body.version)
    return run_out(run_of(version) if cases is None else run_text(bytes(version.document), cases))


@router.get("/contracts/{name}/versions/{int:version}/cases", response=RunOut, auth=CAN_READ)
def get_case_results(request: AccessRequest, name: str, version: int) -> dict[str, Any]:
    """Results when this version was saved or deployed last."""
    ran = stored_run(named_version(named_bundle(request, name), version))
    if ran is None:
        raise NotFound("No test has been run on this version.")
    return run_out(ran)


def _specs(request: AccessRequest, name: str) -> list[CaseSpec]:
    return [row.spec() for row in cases_of(named_bundle(request, name))]


def _cases(rows: list[Case]) -> dict[str, Any]:
    return {"cases": [case_out(row) for row in rows]}


def _case(bundle: Bundle, number: int) -> Case:
    case = case_numbered(bundle, number)
    if case is None:
        raise NotFound("Test not found.")
    return case
