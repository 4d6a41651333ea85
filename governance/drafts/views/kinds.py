"""Differences between drafts of contracts and drafts of checks."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Generic

from django.urls import reverse

from governance.core.errors import DocumentInvalid, GovernanceError, InvalidInput, NotFound
from governance.drafts.views.editor_text import D, T, V, Writing
from governance.models import Project
from governance.people.auth import MemberRequest
from governance.texts.changes import Change


class DraftKind(ABC, Generic[T, V, D]):
    word: ClassVar[str]  # contract
    context_name: ClassVar[str]  # of what a text is of, in templates
    addresses: ClassVar[str]  # how the names of their addresses end
    list_at: ClassVar[str]  # the address of all of them, and of one
    one_at: ClassVar[str]
    backtest_at: ClassVar[str] = ""  # where a form with its text starts one
    crumbs: ClassVar[str]
    editor: ClassVar[str]  # templates
    marks: ClassVar[frozenset[str]]  # the words that its text is drawn with
    same: ClassVar[str]  # what is said where nothing changes by meaning
    refused: ClassVar[tuple[type[GovernanceError], ...]] = (DocumentInvalid, InvalidInput)

    @abstractmethod
    def named(self, project: Project, name: str) -> T | None: ...
    @abstractmethod
    def newest(self, of: T) -> V | None: ...
    @abstractmethod
    def numbered(self, of: T, number: int) -> V | None: ...
    @abstractmethod
    def text_of(self, version: V | None) -> str: ...
    @abstractmethod
    def draft_of(self, of: T, person: int) -> D | None: ...
    @abstractmethod
    def new_draft(self, project: Project, person: int, number: int) -> D | None: ...
    @abstractmethod
    def keep(self, request: MemberRequest, of: T, *, text: str, base: int, seen: str) -> D: ...
    @abstractmethod
    def keep_new(self, request: MemberRequest, draft: D, *, text: str, seen: str) -> D: ...
    @abstractmethod
    def save(self, request: MemberRequest, draft: D, message: str) -> tuple[V, bool]: ...
    @abstractmethod
    def discard(self, request: MemberRequest, draft: D, seen: str) -> None: ...
    @abstractmethod
    def rebase(self, request: MemberRequest, draft: D, on: V, seen: str) -> int: ...
    @abstractmethod
    def saved_as(self, version: V) -> T: ...
    @abstractmethod
    def others(self, of: T, person: int) -> Sequence[D]: ...
    @abstractmethod
    def changes(self, since: V | None, text: str) -> tuple[Change, ...] | None: ...
    @abstractmethod
    def editor_context(self, request: MemberRequest, present: Writing[T, V, D]) -> dict[str, Any]:
        """Context that only this kind's editor has."""

    def act(self, request: MemberRequest, draft: D, word: str) -> None:
        """Action of a button that only this kind's editor has, after the text is stored."""

    def writing(self, request: MemberRequest, name: str, draft_id: int) -> Writing[T, V, D] | None:
        """None for a draft of something new that is saved or discarded by now."""
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
        """Address of a part of the editor; compare and rebase need an existing name."""
        slug = request.project.slug
        if present.of is not None:
            return reverse(f"governance:{part}_{self.addresses}", args=[slug, present.of.name])
        number = present.draft.pk if present.draft else 0
        return reverse(f"governance:{part}_new_{self.addresses}", args=[slug, number])

    def address_after(self, request: MemberRequest, of: T | None) -> str:
        """Address after the editor is closed."""
        if of is None:
            return reverse(self.list_at, args=[request.project.slug])
        return reverse(self.one_at, args=[request.project.slug, of.name])

    def address_saved(self, request: MemberRequest, version: V) -> str:
        return self.address_after(request, self.saved_as(version))

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
