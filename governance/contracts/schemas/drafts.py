"""The shapes of drafts of contracts over HTTP."""

from datetime import datetime
from typing import Any

from ninja import Schema
from pydantic import ConfigDict

from governance.contracts.schemas.contracts import VersionNumber
from governance.models import Draft


class NewDraftIn(Schema):
    """New draft: of an existing contract from its newest version or `base`, else of a new one."""

    model_config = ConfigDict(extra="forbid")

    yaml: str
    name: str | None = None
    base: VersionNumber | None = None


class SeenIn(Schema):
    """The state of the draft that its sender saw last: no other is written over."""

    model_config = ConfigDict(extra="forbid")

    revision: str


class SeenQuery(Schema):
    revision: str


class DraftIn(SeenIn):
    yaml: str


class SavingIn(SeenIn):
    message: str = ""


class DraftOut(Schema):
    id: int
    name: str | None
    base: int | None
    kept_at: datetime


class DraftsOut(Schema):
    drafts: list[DraftOut]


class DraftWithTextOut(DraftOut):
    revision: str
    yaml: str


class RebasedDraftOut(DraftWithTextOut):
    conflicts: int


def draft_out(draft: Draft) -> dict[str, Any]:
    return {
        "id": draft.pk,
        "name": draft.bundle.name if draft.bundle else None,
        "base": draft.base or None,
        "kept_at": draft.kept_at,
    }


def draft_with_text_out(draft: Draft) -> dict[str, Any]:
    return draft_out(draft) | {"revision": draft.revision, "yaml": draft.text}
