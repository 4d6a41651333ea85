"""The editor of one's draft of a success check: of one that is there, or of a new one."""

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from governance.auth import MemberRequest, member_page
from governance.commands.check_drafts import (
    discard_check_draft,
    keep_check_draft,
    keep_new_check_draft,
    save_check_draft,
)
from governance.commands.kept_texts import DraftElsewhere
from governance.commands.saving import LONGEST_MESSAGE, MovedOn
from governance.domain.errors import DocumentInvalid, InvalidInput, NotFound
from governance.domain.written import as_written
from governance.models import Check, CheckDraft
from governance.models.drafts import KeptText
from governance.policies import Action
from governance.queries.check_bindings import bindings_of, lines_by_check
from governance.queries.check_drafts import (
    check_drafts_of_others,
    check_text_of,
    check_version_said,
)
from governance.queries.checking_checks import told_of_check
from governance.queries.checks import check_named
from governance.views.check_words import line_words
from governance.views.check_writing import CheckWriting, about, address, check_writing
from governance.views.writing import number_in, rows_of

REFUSED = (DocumentInvalid, InvalidInput)


@never_cache  # whoever comes back is to see what was kept, not what stood there before
@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CHECK)
def edit_check(request: MemberRequest, check_name: str = "", draft_id: int = 0) -> HttpResponse:
    """Without JavaScript what is written is kept, checked and saved by this form alone."""
    present = check_writing(request, check_name, draft_id)
    if present is None:
        return _gone(request)
    if request.method != "POST":
        return _page(request, present)
    try:
        draft = _keep(request, present)
        if request.POST.get("act") != "save":
            return redirect(address(request, present))
        return _saved(request, draft)
    except DraftElsewhere as elsewhere:
        return _elsewhere(request, present, elsewhere.present)
    except MovedOn:
        if present.check is not None:
            return redirect("governance:rebase_check_draft", request.project.slug, check_name)
        return _page(request, _again(request, present), status=409)
    except REFUSED as refused:
        again = _again(request, present)
        return _page(request, again, status=422, refused=refused)


@require_POST
@member_page(Action.WRITE_CHECK)
def keep_check(request: MemberRequest, check_name: str = "", draft_id: int = 0) -> HttpResponse:
    """What the editor keeps while somebody writes: its new revision, or what stands against it."""
    present = check_writing(request, check_name, draft_id)
    if present is None:
        return JsonResponse({"detail": "This draft is saved or discarded already."}, status=422)
    try:
        draft = _keep(request, present)
    except DraftElsewhere as elsewhere:
        context = {"elsewhere": elsewhere.present, "page": address(request, present)}
        return render(request, "governance/_draft_elsewhere.html", context, status=409)
    except InvalidInput as refused:
        return JsonResponse({"detail": str(refused)}, status=422)
    newest = present.newest.number if present.newest else 0
    return JsonResponse({"revision": draft.revision, "base": draft.base, "newest": newest})


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CHECK)
def discard_check(request: MemberRequest, check_name: str = "", draft_id: int = 0) -> HttpResponse:
    present = check_writing(request, check_name, draft_id)
    if present is None:
        return _gone(request)
    if present.draft is None:
        return redirect(address(request, present))
    if request.method == "POST":
        try:
            discard_check_draft(present.draft, seen=request.POST.get("seen", ""), by=request.actor)
        except DraftElsewhere:
            messages.warning(request, "The draft was changed meanwhile: this is how it is now.")
            return redirect(address(request, present))
        messages.success(request, "The draft is discarded.")
        return redirect(_beside(request, present.check))
    context = about(request, present) | {"page_title": "Discard a draft"}
    return render(request, "governance/checks/discard_draft.html", context)


@require_POST
@member_page(Action.WRITE_CHECK)
def written_check(request: MemberRequest) -> HttpResponse:
    """The problems of a text, its rules, and how its examples fare."""
    check, text = (
        check_named(request.project, request.POST.get("of", "")),
        as_written(request.POST.get("text", "")),
    )
    base = check_version_said(check, request.POST.get("base", ""))
    context = {
        "checked": told_of_check(request.project, check, text),
        "unchanged": base is not None and text == as_written(check_text_of(base)),
    }
    return render(request, "governance/checks/_written_check.html", context)


def _gone(request: MemberRequest) -> HttpResponse:
    messages.info(request, "That draft is saved or discarded already.")
    return redirect(_beside(request, None))


def _keep(request: MemberRequest, present: CheckWriting) -> CheckDraft:
    text, seen = request.POST.get("text"), request.POST.get("seen", "")
    if text is None:
        raise InvalidInput("There is no text to keep.")
    if present.check is None and present.draft is not None:
        return keep_new_check_draft(present.draft, text=text, seen=seen, by=request.actor)
    if present.check is None:
        raise NotFound("There is no such draft.")
    base = number_in(request.POST.get("base")) or present.number
    return keep_check_draft(present.check, text=text, base=base, seen=seen, by=request.actor)


def _beside(request: MemberRequest, check: Check | None) -> str:
    """Where one goes on when the editor is done."""
    if check is None:
        return reverse("governance:checks", args=[request.project.slug])
    return reverse("governance:check", args=[request.project.slug, check.name])


def _saved(request: MemberRequest, draft: CheckDraft) -> HttpResponse:
    message = request.POST.get("message", "")
    version, is_new = save_check_draft(draft, message=message, by=request.actor)
    told = f"{version} is saved." if is_new else f"This is {version} already: nothing changed."
    messages.success(request, told)
    return redirect(_beside(request, version.success_check))


def _again(request: MemberRequest, present: CheckWriting) -> CheckWriting:
    """As it is by now, with the text that was sent, though it could not be kept or saved."""
    number = present.draft.pk if present.draft else 0
    again = check_writing(request, present.check.name if present.check else "", number) or present
    if (text := request.POST.get("text")) is not None:
        again.text = as_written(text, like=again.text)
    return again


def _elsewhere(request: MemberRequest, present: CheckWriting, elsewhere: KeptText) -> HttpResponse:
    """Both texts: the one sent in the editor, the one kept elsewhere beside it."""
    present.text = as_written(request.POST.get("text", ""), like=present.text)
    present.seen = elsewhere.revision
    return _page(request, present, status=409, elsewhere=elsewhere)


def _page(
    request: MemberRequest,
    present: CheckWriting,
    *,
    status: int = 200,
    refused: Exception | None = None,
    elsewhere: KeptText | None = None,
) -> HttpResponse:
    check = present.check
    bound = lines_by_check(bindings_of(request.project)).get(check.name, []) if check else []
    lines = present.text.count("\n") + 1
    context = about(request, present) | {
        "page_title": f"Draft of {check.name if check else 'a new check'}",
        "others": check_drafts_of_others(check, request.user.pk) if check else [],
        "lines": lines,
        "rows": rows_of(lines),
        "unchanged": present.base is not None and present.text == check_text_of(present.base),
        "checked": told_of_check(request.project, check, present.text),
        "judges": [line_words(line) for line in bound],
        "refused": None if isinstance(refused, DocumentInvalid) else refused,
        "elsewhere": elsewhere,
        "message": request.POST.get("message", ""),
        "longest_message": LONGEST_MESSAGE,
    }
    return render(request, "governance/checks/edit_draft.html", context, status=status)
