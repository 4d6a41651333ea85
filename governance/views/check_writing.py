"""What stands in the editor of success checks, and where its parts are."""

from dataclasses import dataclass
from typing import Any

from django.urls import reverse

from governance.auth import MemberRequest
from governance.domain.errors import NotFound
from governance.models import Check, CheckDraft, CheckVersion
from governance.queries.check_drafts import (
    check_draft_of,
    check_text_of,
    new_check_draft_numbered,
)
from governance.queries.checks import (
    check_named,
    check_version_numbered,
    newest_check_version,
)
from governance.views.writing import Written


@dataclass(slots=True, kw_only=True)
class CheckWriting(Written[CheckVersion, CheckDraft]):
    check: Check | None = None


def check_writing(
    request: MemberRequest, check_name: str = "", draft_id: int = 0
) -> CheckWriting | None:
    """None for a draft of a new check that is saved or discarded by now."""
    return of_check(request, check_name) if check_name else _of_nothing(request, draft_id)


def of_check(request: MemberRequest, name: str) -> CheckWriting:
    check = check_named(request.project, name)
    newest = newest_check_version(check) if check else None
    if check is None or newest is None:
        raise NotFound("There is no such check of this project.")
    draft = check_draft_of(check, request.user.pk)
    if draft is None:
        text = check_text_of(newest)
        return CheckWriting(check=check, newest=newest, base=newest, draft=None, text=text, seen="")
    is_newest = draft.base == newest.number
    base = newest if is_newest else check_version_numbered(check, draft.base)
    return CheckWriting(
        check=check,
        newest=newest,
        base=base,
        draft=draft,
        text=draft.text,
        seen=draft.revision,
    )


def address(request: MemberRequest, of: CheckWriting, part: str = "edit") -> str:
    """Where one edits, keeps or discards it."""
    slug = request.project.slug
    if of.check is not None:
        return reverse(f"governance:{part}_check_draft", args=[slug, of.check.name])
    number = of.draft.pk if of.draft else 0
    return reverse(f"governance:{part}_new_check_draft", args=[slug, number])


def about(request: MemberRequest, of: CheckWriting) -> dict[str, Any]:
    return {
        "writing": of,
        "check": of.check,
        "base": of.base,
        "page": address(request, of),
        "keep_at": address(request, of, "keep"),
        "discard_at": address(request, of, "discard"),
    }


def _of_nothing(request: MemberRequest, draft_id: int) -> CheckWriting | None:
    fits = draft_id < 2**63
    draft = new_check_draft_numbered(request.project, request.user.pk, draft_id) if fits else None
    return CheckWriting(draft=draft, text=draft.text, seen=draft.revision) if draft else None
