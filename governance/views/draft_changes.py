"""What one's draft changes, and what to do when somebody saved a version meanwhile."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance.auth import MemberRequest, member_page
from governance.commands.drafts import rebase_draft
from governance.commands.kept_texts import DraftElsewhere
from governance.domain.document import Document, read_document
from governance.domain.meaning import changes
from governance.domain.merging import merge
from governance.models import BundleVersion
from governance.policies import Action
from governance.queries.drafts import changes_since, text_of
from governance.views.text_sides import sides_of
from governance.views.writing import Writing, about, address, of_bundle


@require_safe
@member_page(Action.WRITE_CONTRACT)
def compare_draft(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """One's draft as it is kept, against the version that it grew from."""
    present = of_bundle(request, bundle_name)
    if present.draft is None or present.base is None:
        return redirect(address(request, present))
    is_whole = "whole" in request.GET
    sides, differing = sides_of(text_of(present.base), present.text, whole=is_whole)
    context = about(request, present) | {
        "page_title": f"What the draft of {bundle_name} changes",
        "before": present.base,
        "after": present.draft,
        "changes": changes_since(present.base, present.text),
        "sides": sides,
        "differing": differing,
        "is_whole": is_whole,
    }
    return render(request, "governance/compare_draft.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def rebase(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """Somebody saved a version meanwhile: what both changed, and one text that has both."""
    present = of_bundle(request, bundle_name)
    newest = present.moved_on
    if newest is None or present.draft is None or present.base is None:
        return redirect(address(request, present))
    if request.method == "POST":
        return _rebased(request, present)
    would = merge(
        text_of(present.base), present.text, text_of(newest), mine_is="mine", theirs_is="theirs"
    )
    context = about(request, present) | {
        "page_title": f"{newest} is newer than your draft",
        "newest": newest,
        "theirs": changes(_whole(present.base), _whole(newest)),
        "mine": changes_since(present.base, present.text),
        "conflicts": would.conflicts,
    }
    return render(request, "governance/rebase_draft.html", context)


def _rebased(request: MemberRequest, present: Writing) -> HttpResponse:
    if present.draft is None or present.moved_on is None:
        return redirect(address(request, present))
    try:
        seen = request.POST.get("seen", "")
        conflicts = rebase_draft(present.draft, present.moved_on, seen=seen, by=request.actor)
    except DraftElsewhere:
        messages.warning(request, "The draft was changed meanwhile: look at it again.")
        return redirect(request.path)
    number = present.moved_on.number
    if conflicts:
        places = "one place" if conflicts == 1 else f"{conflicts} places"
        told = f"Your draft has what v{number} changed. Both changed {places}, marked in the text."
        messages.warning(request, told)
    else:
        messages.success(request, f"Your draft has what v{number} changed, and all that is yours.")
    return redirect(address(request, present))


def _whole(version: BundleVersion) -> Document:
    return read_document(bytes(version.document))
