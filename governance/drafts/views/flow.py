"""Pages of a draft of any kind: autosave, check, save, discard, compare, rebase.

No text is lost: changes made elsewhere in the meantime are shown before anything replaces them.
"""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render

from governance.core.errors import DocumentInvalid, InvalidInput, NotFound
from governance.core.numbers import parse_number
from governance.drafts.commands import LONGEST_MESSAGE, MovedOn
from governance.drafts.storage import DraftElsewhere
from governance.drafts.views.editor_text import D, T, V, Writing, rows_of
from governance.drafts.views.kinds import DraftKind
from governance.models.drafts import DraftText
from governance.people.auth import MemberRequest
from governance.texts.merging import merge
from governance.texts.notation import as_written
from governance.texts.text_sides import sides_of


def edit(
    kind: DraftKind[T, V, D], request: MemberRequest, name: str, draft_id: int
) -> HttpResponse:
    """Editor page. Without JavaScript, its form saves, checks and submits the draft."""
    present = kind.writing(request, name, draft_id)
    if present is None:
        return _gone(kind, request)
    if request.method != "POST":
        return _page(kind, request, present)
    try:
        draft = _keep(kind, request, present)
        match request.POST.get("act"):
            case "save":
                return _saved(kind, request, draft)
            case "backtest" if kind.backtest_at:  # that page gets the same form
                return redirect(kind.backtest_at, request.project.slug, preserve_request=True)
            case word:
                kind.act(draft, word or "", by=request.actor)
        return redirect(kind.address(request, present))
    except DraftElsewhere as elsewhere:
        # Show both texts: the submitted one in the editor, the stored one next to it.
        present.text = as_written(request.POST.get("text", ""), like=present.text)
        present.seen = elsewhere.present.revision
        return _page(kind, request, present, status=409, elsewhere=elsewhere.present)
    except MovedOn:
        if present.of is not None:
            return redirect(kind.address(request, present, "rebase"))
        return _page(kind, request, _again(kind, request, present), status=409)
    except kind.refused as refused:
        again = _again(kind, request, present)
        return _page(kind, request, again, status=422, refused=refused)


def keep(
    kind: DraftKind[T, V, D], request: MemberRequest, name: str, draft_id: int
) -> HttpResponse:
    """Autosave: respond with the new revision, or with the conflict."""
    present = kind.writing(request, name, draft_id)
    if present is None:
        return JsonResponse({"detail": "This draft was already saved or discarded."}, status=422)
    try:
        draft = _keep(kind, request, present)
    except DraftElsewhere as elsewhere:
        context = {"elsewhere": elsewhere.present, "page": kind.address(request, present)}
        return render(request, "drafts/_draft_elsewhere.html", context, status=409)
    except InvalidInput as refused:
        return JsonResponse({"detail": str(refused)}, status=422)
    newest = present.newest.number if present.newest else 0
    return JsonResponse({"revision": draft.revision, "base": draft.base, "newest": newest})


def discard(
    kind: DraftKind[T, V, D], request: MemberRequest, name: str, draft_id: int
) -> HttpResponse:
    present = kind.writing(request, name, draft_id)
    if present is None:
        return _gone(kind, request)
    if present.draft is None:
        return redirect(kind.address(request, present))
    if request.method == "POST":
        try:
            kind.discard(present.draft, seen=request.POST.get("seen", ""), by=request.actor)
        except DraftElsewhere:
            messages.warning(
                request, "The draft changed in the meantime. Its current text is below."
            )
            return redirect(kind.address(request, present))
        messages.success(request, "Draft discarded.")
        return redirect(kind.address_after(request, present.of))
    context = kind.about(request, present) | {
        "page_title": "Discard a draft",
        "changes": kind.changes(present.base, present.text),
    }
    return render(request, "drafts/discard_draft.html", context)


def compare(kind: DraftKind[T, V, D], request: MemberRequest, name: str) -> HttpResponse:
    """Page that compares the person's draft with the version it is based on."""
    present = kind.writing_named(request, name)
    if present.draft is None or present.base is None:
        return redirect(kind.address(request, present))
    all_lines = "whole" in request.GET
    before = kind.text_of(present.base)
    sides, differing = sides_of(before, present.text, all_rows=all_lines, words=kind.marks)
    context = kind.about(request, present) | {
        "page_title": f"Changes in the draft of {name}",
        "before": present.base,
        "after": present.draft,
        "changes": kind.changes(present.base, present.text),
        "sides": sides,
        "differing": differing,
        "is_whole": all_lines,
    }
    return render(request, "drafts/compare_draft.html", context)


def rebase(kind: DraftKind[T, V, D], request: MemberRequest, name: str) -> HttpResponse:
    """Merge a newer version into the draft, after showing the changes of both sides."""
    present = kind.writing_named(request, name)
    draft, newest = present.draft, present.moved_on
    if newest is None or draft is None or present.base is None:
        return redirect(kind.address(request, present))
    if request.method == "POST":
        return _rebased(kind, request, present, draft, newest)
    base, theirs = kind.text_of(present.base), kind.text_of(newest)
    would = merge(base, present.text, theirs, mine_is="mine", theirs_is="theirs")
    context = kind.about(request, present) | {
        "page_title": f"{newest} is newer than your draft",
        "newest": newest,
        "theirs": kind.changes(present.base, theirs),
        "mine": kind.changes(present.base, present.text),
        "their_sides": sides_of(base, theirs, words=kind.marks)[0],
        "my_sides": sides_of(base, present.text, words=kind.marks)[0],
        "conflicts": would.conflicts,
    }
    return render(request, "drafts/rebase_draft.html", context)


def _rebased(
    kind: DraftKind[T, V, D],
    request: MemberRequest,
    present: Writing[T, V, D],
    draft: D,
    newest: V,
) -> HttpResponse:
    try:
        seen = request.POST.get("seen", "")
        conflicts = kind.rebase(draft, newest, seen=seen, by=request.actor)
    except DraftElsewhere:
        messages.warning(request, "The draft changed in the meantime. Check it again.")
        return redirect(request.path)
    number = newest.number
    if conflicts:
        places = "1 conflict" if conflicts == 1 else f"{conflicts} conflicts"
        sentence = f"v{number} merged into your draft with {places}, marked in the text."
        messages.warning(request, sentence)
    else:
        messages.success(request, f"v{number} merged into your draft.")
    return redirect(kind.address(request, present))


def _gone(kind: DraftKind[T, V, D], request: MemberRequest) -> HttpResponse:
    messages.info(request, "This draft was already saved or discarded.")
    return redirect(kind.address_after(request, None))


def _keep(kind: DraftKind[T, V, D], request: MemberRequest, present: Writing[T, V, D]) -> D:
    text, seen = request.POST.get("text"), request.POST.get("seen", "")
    if text is None:
        raise InvalidInput("The draft is empty.")
    if present.of is not None:
        base = parse_number(request.POST.get("base")) or present.number
        return kind.keep(present.of, text=text, base=base, seen=seen, by=request.actor)
    if present.draft is None:
        raise NotFound("Draft not found.")
    return kind.keep_new(present.draft, text=text, seen=seen, by=request.actor)


def _saved(kind: DraftKind[T, V, D], request: MemberRequest, draft: D) -> HttpResponse:
    message = request.POST.get("message", "")
    version, is_new = kind.save(draft, message=message, by=request.actor)
    sentence = f"{version} saved." if is_new else f"{version} already has this text."
    messages.success(request, sentence)
    return redirect(kind.address_saved(request, version))


def _again(
    kind: DraftKind[T, V, D], request: MemberRequest, present: Writing[T, V, D]
) -> Writing[T, V, D]:
    """Current state with the submitted text, which could not be stored or saved."""
    number = present.draft.pk if present.draft else 0
    again = kind.writing(request, present.of.name if present.of else "", number) or present
    if (text := request.POST.get("text")) is not None:
        again.text = as_written(text, like=again.text)
    return again


def _page(
    kind: DraftKind[T, V, D],
    request: MemberRequest,
    present: Writing[T, V, D],
    *,
    status: int = 200,
    refused: Exception | None = None,
    elsewhere: DraftText | None = None,
) -> HttpResponse:
    of, lines = present.of, present.text.count("\n") + 1
    context: dict[str, Any] = kind.about(request, present) | {
        "page_title": f"Draft of {of.name if of else f'a new {kind.word}'}",
        "others": kind.others(of, request.user.pk) if of else [],
        "lines": lines,
        "rows": rows_of(lines),
        "unchanged": present.base is not None and present.text == kind.text_of(present.base),
        "refused": None if isinstance(refused, DocumentInvalid) else refused,
        "elsewhere": elsewhere,
        "message": request.POST.get("message", ""),
        "longest_message": LONGEST_MESSAGE,
    }
    context |= kind.editor_context(request, present)
    return render(request, kind.editor, context, status=status)
