"""What one's draft of a check changes, and what to do when somebody saved a version meanwhile."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance.auth import MemberRequest, member_page
from governance.commands.check_drafts import rebase_check_draft
from governance.commands.kept_texts import DraftElsewhere
from governance.domain.checks.meaning import check_changes
from governance.domain.merging import merge
from governance.policies import Action
from governance.queries.check_drafts import check_text_of
from governance.views.check_writing import CheckWriting, about, address, of_check
from governance.views.text_sides import sides_of
from governance.views.yaml_marks import CHECK_WORDS


@require_safe
@member_page(Action.WRITE_CHECK)
def compare_check_draft(request: MemberRequest, check_name: str) -> HttpResponse:
    """One's draft as it is kept, against the version that it grew from."""
    present = of_check(request, check_name)
    if present.draft is None or present.base is None:
        return redirect(address(request, present))
    is_whole = "whole" in request.GET
    before = check_text_of(present.base)
    sides, differing = sides_of(before, present.text, whole=is_whole, words=CHECK_WORDS)
    context = about(request, present) | {
        "page_title": f"What the draft of {check_name} changes",
        "before": present.base,
        "after": present.draft,
        "changes": check_changes(before, present.text),
        "sides": sides,
        "differing": differing,
        "is_whole": is_whole,
    }
    return render(request, "governance/checks/compare_draft.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CHECK)
def rebase_check(request: MemberRequest, check_name: str) -> HttpResponse:
    """Somebody saved a version meanwhile: what both changed, and one text that has both."""
    present = of_check(request, check_name)
    newest = present.moved_on
    if newest is None or present.draft is None or present.base is None:
        return redirect(address(request, present))
    if request.method == "POST":
        return _rebased(request, present)
    base, theirs = check_text_of(present.base), check_text_of(newest)
    would = merge(base, present.text, theirs, mine_is="mine", theirs_is="theirs")
    context = about(request, present) | {
        "page_title": f"{newest} is newer than your draft",
        "newest": newest,
        "theirs_means": check_changes(base, theirs),
        "mine_means": check_changes(base, present.text),
        "theirs": sides_of(base, theirs, words=CHECK_WORDS)[0],
        "mine": sides_of(base, present.text, words=CHECK_WORDS)[0],
        "conflicts": would.conflicts,
    }
    return render(request, "governance/checks/rebase_draft.html", context)


def _rebased(request: MemberRequest, present: CheckWriting) -> HttpResponse:
    if present.draft is None or present.moved_on is None:
        return redirect(address(request, present))
    try:
        seen = request.POST.get("seen", "")
        conflicts = rebase_check_draft(present.draft, present.moved_on, seen=seen, by=request.actor)
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
