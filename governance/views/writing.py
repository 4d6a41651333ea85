"""What stands in an editor, and where the parts of that of contracts are."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.urls import reverse

from governance import queries
from governance.auth import MemberRequest
from governance.domain.errors import NotFound
from governance.models import Bundle, BundleVersion, CheckDraft, CheckVersion, Draft
from governance.queries.drafts import draft_of, new_draft_numbered, text_of

FEWEST_ROWS, MOST_ROWS = 18, 40  # of the text area; the script's editor has no fewer either

V = TypeVar("V", BundleVersion, CheckVersion)
D = TypeVar("D", Draft, CheckDraft)


@dataclass(slots=True, kw_only=True)
class Written(Generic[V, D]):
    """A draft; or the newest version, of which there is none yet."""

    newest: V | None = None
    base: V | None = None  # what the text grew from
    draft: D | None
    text: str
    seen: str  # the revision of the draft as this page shows it

    @property
    def number(self) -> int:
        return self.base.number if self.base else 0

    @property
    def next_number(self) -> int:
        return self.newest.number + 1 if self.newest else 1

    @property
    def kept_at(self) -> datetime | None:
        return self.draft.kept_at if self.draft else None

    @property
    def moved_on(self) -> V | None:
        """What was saved since the draft was begun."""
        if self.draft is None or self.newest is None or self.newest.number <= self.number:
            return None
        return self.newest


@dataclass(slots=True, kw_only=True)
class Writing(Written[BundleVersion, Draft]):
    bundle: Bundle | None = None


def writing(request: MemberRequest, bundle_name: str = "", draft_id: int = 0) -> Writing | None:
    """None for a draft of a new contract that is saved or discarded by now."""
    return of_bundle(request, bundle_name) if bundle_name else _of_nothing(request, draft_id)


def of_bundle(request: MemberRequest, name: str) -> Writing:
    bundle = queries.bundle_named(request.project, name)
    newest = queries.newest_version(bundle) if bundle else None
    if bundle is None or newest is None:
        raise NotFound("There is no such contract.")
    draft = draft_of(bundle, request.user.pk)
    if draft is None:
        text = text_of(newest)
        return Writing(bundle=bundle, newest=newest, base=newest, draft=None, text=text, seen="")
    base = newest if draft.base == newest.number else queries.version_numbered(bundle, draft.base)
    return Writing(
        bundle=bundle,
        newest=newest,
        base=base,
        draft=draft,
        text=draft.text,
        seen=draft.revision,
    )


def address(request: MemberRequest, of: Writing, part: str = "edit") -> str:
    """Where one edits, keeps or discards it."""
    if of.bundle is not None:
        return reverse(f"governance:{part}_draft", args=[request.project.slug, of.bundle.name])
    number = of.draft.pk if of.draft else 0
    return reverse(f"governance:{part}_new_draft", args=[request.project.slug, number])


def about(request: MemberRequest, of: Writing) -> dict[str, Any]:
    return {
        "writing": of,
        "bundle": of.bundle,
        "base": of.base,
        "page": address(request, of),
        "keep_at": address(request, of, "keep"),
        "discard_at": address(request, of, "discard"),
    }


def _of_nothing(request: MemberRequest, draft_id: int) -> Writing | None:
    fits = draft_id < 2**63
    draft = new_draft_numbered(request.project, request.user.pk, draft_id) if fits else None
    return Writing(draft=draft, text=draft.text, seen=draft.revision) if draft else None


def rows_of(lines: int) -> int:
    """How high the text area of so many lines is."""
    return min(max(lines, FEWEST_ROWS), MOST_ROWS)


def number_in(text: str | None) -> int:
    """A version's number as a form has it; zero for anything else."""
    fits = text is not None and text.isascii() and text.isdecimal() and len(text) < 10
    return int(text) if fits and text else 0
