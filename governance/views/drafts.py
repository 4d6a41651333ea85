"""The editor of one's draft of a contract: of one that is there, or of a new one."""

from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from governance import queries
from governance.auth import MemberRequest, member_page
from governance.commands.drafts import (
    discard_draft,
    keep_draft,
    keep_new_draft,
    save_draft,
)
from governance.commands.kept_texts import DraftElsewhere
from governance.commands.saving import LONGEST_MESSAGE, MovedOn
from governance.domain.errors import (
    DocumentInvalid,
    EvaluationLimit,
    EvaluationUnavailable,
    InvalidInput,
    NotFound,
)
from governance.domain.written import as_written
from governance.models import Bundle, Draft
from governance.models.drafts import KeptText
from governance.policies import Action
from governance.queries.checking import check_draft
from governance.queries.drafts import changes_since, drafts_of_others, text_of
from governance.views.writing import Writing, about, address, number_in, rows_of, writing

# What keeps a text from being saved and is no fault of who called.
REFUSED = (DocumentInvalid, InvalidInput, EvaluationLimit, EvaluationUnavailable)


@never_cache  # whoever comes back is to see what was kept, not what stood there before
@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def edit(request: MemberRequest, bundle_name: str = "", draft_id: int = 0) -> HttpResponse:
    """Without JavaScript what is written is kept, checked and saved by this form alone."""
    present = writing(request, bundle_name, draft_id)
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
        if present.bundle is not None:
            return redirect("governance:rebase_draft", request.project.slug, present.bundle.name)
        return _page(request, _again(request, present), status=409)
    except REFUSED as refused:
        again = _again(request, present)
        return _page(request, again, status=422, refused=refused)


@require_POST
@member_page(Action.WRITE_CONTRACT)
def keep(request: MemberRequest, bundle_name: str = "", draft_id: int = 0) -> HttpResponse:
    """What the editor keeps while somebody writes: its new revision, or what stands against it."""
    present = writing(request, bundle_name, draft_id)
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
@member_page(Action.WRITE_CONTRACT)
def discard(request: MemberRequest, bundle_name: str = "", draft_id: int = 0) -> HttpResponse:
    present = writing(request, bundle_name, draft_id)
    if present is None:
        return _gone(request)
    if present.draft is None:
        return redirect(address(request, present))
    if request.method == "POST":
        try:
            discard_draft(present.draft, seen=request.POST.get("seen", ""), by=request.actor)
        except DraftElsewhere:
            messages.warning(request, "The draft was changed meanwhile: this is how it is now.")
            return redirect(address(request, present))
        messages.success(request, "The draft is discarded.")
        return redirect(_beside(request, present.bundle))
    context = about(request, present) | {
        "page_title": "Discard a draft",
        "changes": changes_since(present.base, present.text),
    }
    return render(request, "governance/discard_draft.html", context)


def _gone(request: MemberRequest) -> HttpResponse:
    messages.info(request, "That draft is saved or discarded already.")
    return redirect(_beside(request, None))


def _keep(request: MemberRequest, present: Writing) -> Draft:
    text, seen = request.POST.get("text"), request.POST.get("seen", "")
    if text is None:
        raise InvalidInput("There is no text to keep.")
    if present.bundle is None and present.draft is not None:
        return keep_new_draft(present.draft, text=text, seen=seen, by=request.actor)
    if present.bundle is None:
        raise NotFound("There is no such draft.")
    base = number_in(request.POST.get("base", "")) or present.number
    return keep_draft(present.bundle, text=text, base=base, seen=seen, by=request.actor)


def _beside(request: MemberRequest, bundle: Bundle | None) -> str:
    """Where one goes on when the editor is done."""
    if bundle is None:
        return reverse("governance:contracts", args=[request.project.slug])
    return reverse("governance:contract", args=[request.project.slug, bundle.name])


def _saved(request: MemberRequest, draft: Draft) -> HttpResponse:
    message = request.POST.get("message", "")
    version, is_new = save_draft(draft, message=message, by=request.actor)
    told = f"{version} is saved." if is_new else f"This is {version} already: nothing changed."
    messages.success(request, told)
    return redirect(_beside(request, version.bundle))


def _again(request: MemberRequest, present: Writing) -> Writing:
    """As it is by now, with the text that was sent, though it could not be kept or saved."""
    number = present.draft.pk if present.draft else 0
    again = writing(request, present.bundle.name if present.bundle else "", number) or present
    if (text := request.POST.get("text")) is not None:
        again.text = as_written(text, like=again.text)
    return again


def _elsewhere(request: MemberRequest, present: Writing, elsewhere: KeptText) -> HttpResponse:
    """Both texts: the one sent in the editor, the one kept elsewhere beside it."""
    present.text = as_written(request.POST.get("text", ""), like=present.text)
    present.seen = elsewhere.revision
    return _page(request, present, status=409, elsewhere=elsewhere)


def _page(
    request: MemberRequest,
    present: Writing,
    *,
    status: int = 200,
    refused: Exception | None = None,
    elsewhere: KeptText | None = None,
) -> HttpResponse:
    others = drafts_of_others(present.bundle, request.user.pk) if present.bundle else []
    name = present.bundle.name if present.bundle else "a new contract"
    lines = present.text.count("\n") + 1
    tools = queries.tools_seen(request.project)
    context = about(request, present) | {
        "page_title": f"Draft of {name}",
        "others": others,
        "lines": lines,
        "rows": rows_of(lines),
        # All that the script will be told, or the page would move when it is.
        "checked": check_draft(request.project, present.bundle, present.text, tools=tools),
        "changes": changes_since(present.base, present.text),
        "unchanged": present.base is not None and present.text == text_of(present.base),
        "refused": None if isinstance(refused, DocumentInvalid) else refused,
        "elsewhere": elsewhere,
        "message": request.POST.get("message", ""),
        "longest_message": LONGEST_MESSAGE,
    }
    return render(request, "governance/edit_draft.html", context, status=status)
