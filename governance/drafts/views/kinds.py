"""Differences between drafts of contracts and drafts of checks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from django.urls import reverse

from governance.core.actor import Actor
from governance.core.errors import DocumentInvalid, GovernanceError, InvalidInput, NotFound
from governance.drafts.views.editor_text import D, T, V, Writing
from governance.models import Project
from governance.people.auth import MemberRequest
from governance.texts.changes import Change

REFUSED: tuple[type[GovernanceError], ...] = (DocumentInvalid, InvalidInput)


def _no_action(draft: Any, word: str, *, by: Actor) -> None:
    """Default for editors without their own buttons."""


def _no_query(request: MemberRequest, version: Any) -> str:
    return ""


@dataclass(frozen=True, kw_only=True)
class DraftKind(Generic[T, V, D]):
    """Names, queries and commands that the shared pages use for one kind of draft."""

    word: str  # such as "contract"
    context_name: str  # name of the contract or check in templates
    addresses: str  # suffix of URL names
    list_at: str  # URL name of the list
    one_at: str
    backtest_at: str  # URL name of the page that backtests a submitted text
    crumbs: str
    editor: str  # template
    marks: frozenset[str]  # words to highlight in its text
    same: str  # sentence if the meaning doesn't change
    refused: tuple[type[GovernanceError], ...] = REFUSED

    named: Callable[[Project, str], T | None]
    newest: Callable[[T], V | None]
    numbered: Callable[[T, int], V | None]
    text_of: Callable[[V | None], str]
    draft_of: Callable[[T, int], D | None]
    new_draft: Callable[[Project, int, int], D | None]
    others: Callable[[T, int], Sequence[D]]
    changes: Callable[[V | None, str], tuple[Change, ...] | None]
    saved_as: Callable[[V], T]
    keep: Callable[..., D]
    keep_new: Callable[..., D]
    save: Callable[..., tuple[V, bool]]
    discard: Callable[..., None]
    rebase: Callable[..., int]
    editor_context: Callable[[MemberRequest, Writing[T, V, D]], dict[str, Any]]
    act: Callable[..., object] = _no_action  # buttons that only this editor has
    query_saved: Callable[[MemberRequest, V], str] = _no_query  # URL query after saving

    def writing(self, request: MemberRequest, name: str, draft_id: int) -> Writing[T, V, D] | None:
        """Editor state; None if a draft of something new was already saved or discarded."""
        return self.writing_named(request, name) if name else self._writing_new(request, draft_id)

    def writing_named(self, request: MemberRequest, name: str) -> Writing[T, V, D]:
        of = self.named(request.project, name)
        newest = self.newest(of) if of else None
        if of is None or newest is None:
            raise NotFound(f"{self.word.capitalize()} not found.")
        draft = self.draft_of(of, request.user.pk)
        if draft is None:
            text = self.text_of(newest)
            return Writing(of=of, newest=newest, base=newest, draft=None, text=text, seen="")
        base = newest if draft.base == newest.number else self.numbered(of, draft.base)
        return Writing(
            of=of, newest=newest, base=base, draft=draft, text=draft.text, seen=draft.revision
        )

    def _writing_new(self, request: MemberRequest, number: int) -> Writing[T, V, D] | None:
        fits = number < 2**63
        draft = self.new_draft(request.project, request.user.pk, number) if fits else None
        return Writing(draft=draft, text=draft.text, seen=draft.revision) if draft else None

    def address(self, request: MemberRequest, present: Writing[T, V, D], part: str = "edit") -> str:
        """URL of a part of the editor; compare and rebase need an existing contract or check."""
        slug = request.project.slug
        if present.of is not None:
            return reverse(f"governance:{part}_{self.addresses}", args=[slug, present.of.name])
        number = present.draft.pk if present.draft else 0
        return reverse(f"governance:{part}_new_{self.addresses}", args=[slug, number])

    def address_after(self, request: MemberRequest, of: T | None) -> str:
        """URL to open after the editor."""
        if of is None:
            return reverse(self.list_at, args=[request.project.slug])
        return reverse(self.one_at, args=[request.project.slug, of.name])

    def address_saved(self, request: MemberRequest, version: V) -> str:
        query = self.query_saved(request, version)
        address = self.address_after(request, self.saved_as(version))
        return f"{address}?{query}" if query else address

    def about(self, request: MemberRequest, present: Writing[T, V, D]) -> dict[str, Any]:
        context = {
            "writing": present,
            self.context_name: present.of,
            "of": present.of,
            "word": self.word,
            "crumbs": self.crumbs,
            "crumb_name": present.of.name if present.of else "",
            "same": self.same,
            "base": present.base,
            "page": self.address(request, present),
            "keep_at": self.address(request, present, "keep"),
            "discard_at": self.address(request, present, "discard"),
        }
        if present.of is not None:
            context["compare_at"] = self.address(request, present, "compare")
            context["rebase_at"] = self.address(request, present, "rebase")
        return context
