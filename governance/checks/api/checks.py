"""Named success checks over HTTP: saved, listed, read with their history."""

from heapq import merge
from typing import Any

from ninja import Query, Router, Status

from governance.checks.commands.checks import include_newer, save_check
from governance.checks.queries.bindings import bindings_of, lines_by_check
from governance.checks.queries.checks import (
    check_named,
    check_versions_before,
    included_by,
    newer_included,
    newest_check_version,
    newest_check_versions,
    ours,
    ours_named,
)
from governance.checks.queries.includes import ALL
from governance.checks.schemas import (
    CheckIn,
    CheckOut,
    ChecksOut,
    ChecksQuery,
    CheckVersionOut,
    check_version_out,
    newer_out,
    ours_out,
    used_out,
)
from governance.contracts.schemas.contracts import VersionsQuery
from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import NotFound
from governance.models import Project
from governance.people.auth import AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered

router = Router(tags=["success checks"])
CAN_READ = KeyOrMember("read")
CAN_WRITE = KeyOrMember(action=Action.WRITE_CHECK)


@router.get("/success-checks", response=ChecksOut, auth=CAN_READ)
def list_checks(request: AccessRequest, page: Query[ChecksQuery]) -> dict[str, Any]:
    """Checks of the project and built-in ones, by name."""
    project = _project(request)
    own = [
        check_version_out(each)
        for each in newest_check_versions(project, page.cursor, page.limit + 1)
    ]
    names = {each["name"] for each in own}
    brought = sorted(
        (ours_out(each) for each in ours() if each.name > page.cursor and each.name not in names),
        key=_by_name,
    )
    checks = list(merge(own, brought, key=_by_name))
    shown = checks[: page.limit]
    places, includers = lines_by_check(bindings_of(project)), included_by(project)
    return {
        "success_checks": [each | used_out(each["name"], places, includers) for each in shown],
        "next": shown[-1]["name"] if len(checks) > len(shown) else None,
    }


@router.put(
    "/success-checks/{name}",
    response={201: CheckVersionOut, 200: CheckVersionOut},
    auth=CAN_WRITE,
)
def put_check(request: AccessRequest, name: str, body: CheckIn) -> Status[dict[str, Any]]:
    """`metadata.name` in the text equals the name here."""
    version, is_new = save_check(
        _project(request),
        document=body.yaml,
        message=body.message,
        name=name,
        by=request.auth.actor,
        newer=ALL if body.newer_included else (),
    )
    return Status(201 if is_new else 200, check_version_out(version))


@router.get("/success-checks/{name}", response=CheckOut, auth=CAN_READ)
def get_check(request: AccessRequest, name: str, page: Query[VersionsQuery]) -> dict[str, Any]:
    project = _project(request)
    check = check_named(project, name)
    newest = newest_check_version(check) if check else None
    used = used_out(name, lines_by_check(bindings_of(project)), included_by(project))
    if check is None or newest is None:
        brought = ours_named(name)
        if brought is None:
            raise NotFound("Check not found.")
        one = ours_out(brought)
        rest = {"yaml": brought.text, "newer_included": [], "versions": [one], "next": None}
        return one | used | rest
    versions = check_versions_before(check, page.cursor, page.limit + 1)
    shown = versions[: page.limit]
    return (
        check_version_out(newest)
        | used
        | {
            "yaml": bytes(newest.document).decode(),
            "newer_included": [newer_out(each) for each in newer_included(newest)],
            "versions": [check_version_out(version) for version in shown],
            "next": str(shown[-1].number) if len(versions) > len(shown) else None,
        }
    )


@router.post(
    "/success-checks/{name}/newer-included",
    response={201: CheckVersionOut, 200: CheckVersionOut},
    auth=CAN_WRITE,
    openapi_extra=MAY_CONFLICT,
)
def update_included_checks(request: AccessRequest, name: str) -> Status[dict[str, Any]]:
    """The newest text again, with what it includes as that is now."""
    check = check_named(_project(request), name)
    newest = newest_check_version(check) if check else None
    if newest is None:
        raise NotFound("This project has no such check.")
    version, is_new = include_newer(newest, by=request.auth.actor)
    return Status(201 if is_new else 200, check_version_out(version))


def reached_by_the_name(word: str, on: Router) -> None:
    """A check may bear the name of what is posted at its own address, by whichever router."""
    path = f"/success-checks/{word}"

    @on.get(path, response=CheckOut, auth=CAN_READ, include_in_schema=False)
    def get_check_so_named(request: AccessRequest, page: Query[VersionsQuery]) -> dict[str, Any]:
        return get_check(request, word, page)

    @on.put(
        path,
        response={201: CheckVersionOut, 200: CheckVersionOut},
        auth=CAN_WRITE,
        include_in_schema=False,
    )
    def put_check_so_named(request: AccessRequest, body: CheckIn) -> Status[dict[str, Any]]:
        return put_check(request, word, body)


def _by_name(listed: dict[str, Any]) -> str:
    return str(listed["name"])


def _project(request: AccessRequest) -> Project:
    return project_numbered(request.auth.project_id)
