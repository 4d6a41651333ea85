"""One's own drafts of contracts over HTTP, for who writes elsewhere than in the console's editor.

Only people have drafts: a key is refused, and sends a text as it is.
"""

from typing import Any

from ninja import Query, Router, Status

from governance.contracts.api.contracts import named_bundle, named_version
from governance.contracts.commands.drafts import (
    begin_draft,
    discard_draft,
    keep_draft,
    keep_new_draft,
    rebase_draft,
    save_draft,
)
from governance.contracts.queries.contracts import newest_version
from governance.contracts.queries.drafts import draft_numbered, drafts_of
from governance.contracts.schemas.contracts import VersionOut, version_out
from governance.contracts.schemas.drafts import (
    DraftIn,
    DraftsOut,
    DraftWithTextOut,
    NewDraftIn,
    RebasedDraftOut,
    SavingIn,
    SeenIn,
    SeenQuery,
    draft_out,
    draft_with_text_out,
)
from governance.core.conflicts import MAY_CONFLICT
from governance.core.errors import Conflict, InvalidInput, NotFound
from governance.drafts.storage import DraftElsewhere, writer
from governance.models import Draft, Project
from governance.people.auth import Access, AccessRequest, KeyOrMember
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered

router = Router(tags=["contracts"])


class DraftOwner(KeyOrMember):
    """Access of the draft's owner: keys are refused."""

    def refuse(self, access: Access) -> None:
        super().refuse(access)
        writer(access.actor, Action.WRITE_CONTRACT)


CAN_WRITE = DraftOwner()


@router.get("/contract-drafts", response=DraftsOut, auth=CAN_WRITE)
def list_contract_drafts(request: AccessRequest) -> dict[str, Any]:
    """Your drafts, last saved first."""
    drafts = drafts_of(_project(request), _writer(request))
    return {"drafts": [draft_out(each) for each in drafts]}


@router.post(
    "/contract-drafts", response={201: DraftWithTextOut}, auth=CAN_WRITE, openapi_extra=MAY_CONFLICT
)
def create_contract_draft(request: AccessRequest, body: NewDraftIn) -> Status[dict[str, Any]]:
    by = request.auth.actor
    if body.name is None:
        if body.base is not None:
            raise InvalidInput.at(
                "base",
                "A draft of a new contract has no base version."
                " Leave `base` out, or name the contract.",
            )
        return Status(
            201, draft_with_text_out(begin_draft(_project(request), text=body.yaml, by=by))
        )
    bundle = named_bundle(request, body.name)
    base = named_version(bundle, body.base).number
    return Status(
        201, draft_with_text_out(keep_draft(bundle, text=body.yaml, base=base, seen="", by=by))
    )


@router.get("/contract-drafts/{int:draft_id}", response=DraftWithTextOut, auth=CAN_WRITE)
def get_contract_draft(request: AccessRequest, draft_id: int) -> dict[str, Any]:
    return draft_with_text_out(_draft(request, draft_id))


@router.put(
    "/contract-drafts/{int:draft_id}",
    response=DraftWithTextOut,
    auth=CAN_WRITE,
    openapi_extra=MAY_CONFLICT,
)
def update_contract_draft(request: AccessRequest, draft_id: int, body: DraftIn) -> dict[str, Any]:
    draft, by = _draft(request, draft_id), request.auth.actor
    if draft.bundle is None:
        stored = keep_new_draft(draft, text=body.yaml, seen=body.revision, by=by)
    else:
        stored = keep_draft(
            draft.bundle, text=body.yaml, base=draft.base, seen=body.revision, by=by
        )
    return draft_with_text_out(stored)


@router.post(
    "/contract-drafts/{int:draft_id}/rebase",
    response=RebasedDraftOut,
    auth=CAN_WRITE,
    openapi_extra=MAY_CONFLICT,
)
def rebase_contract_draft(request: AccessRequest, draft_id: int, body: SeenIn) -> dict[str, Any]:
    """Merge the newest version into the draft; conflicts are marked in its text."""
    draft = _draft(request, draft_id)
    newest = newest_version(draft.bundle) if draft.bundle else None
    if newest is None or newest.number == draft.base:
        raise Conflict("This draft is already based on the newest version.")
    conflicts = rebase_draft(draft, newest, seen=body.revision, by=request.auth.actor)
    return draft_with_text_out(_draft(request, draft_id)) | {"conflicts": conflicts}


@router.post(
    "/contract-drafts/{int:draft_id}/versions",
    response={201: VersionOut, 200: VersionOut},
    auth=CAN_WRITE,
    openapi_extra=MAY_CONFLICT,
)
def save_contract_draft(
    request: AccessRequest, draft_id: int, body: SavingIn
) -> Status[dict[str, Any]]:
    """The draft becomes the version after the one that it grew from."""
    draft = _draft(request, draft_id)
    if draft.revision != body.revision:
        raise DraftElsewhere(draft)
    version, is_new = save_draft(draft, message=body.message, by=request.auth.actor)
    return Status(201 if is_new else 200, version_out(version))


@router.delete(
    "/contract-drafts/{int:draft_id}",
    response={204: None},
    auth=CAN_WRITE,
    openapi_extra=MAY_CONFLICT,
)
def discard_contract_draft(
    request: AccessRequest, draft_id: int, seen: Query[SeenQuery]
) -> Status[None]:
    discard_draft(_draft(request, draft_id), seen=seen.revision, by=request.auth.actor)
    return Status(204, None)


def _project(request: AccessRequest) -> Project:
    return project_numbered(request.auth.project_id)


def _writer(request: AccessRequest) -> int:
    return writer(request.auth.actor, Action.WRITE_CONTRACT)


def _draft(request: AccessRequest, number: int) -> Draft:
    person = _writer(request)
    draft = draft_numbered(_project(request), person, number) if number < 2**63 else None
    if draft is None:
        raise NotFound("You have no such draft.")
    return draft
