"""Drafts of success checks: of saved checks, and of new ones."""

from collections.abc import Sequence
from typing import Any, TypeAlias
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from governance.checks.authoring.meaning import check_changes
from governance.checks.authoring.words import CHECK_WORDS
from governance.checks.commands.drafts import (
    discard_check_draft,
    keep_check_draft,
    keep_new_check_draft,
    rebase_check_draft,
    save_check_draft,
    take_newer,
)
from governance.checks.queries.analysis import analyse_check
from governance.checks.queries.bindings import bindings_of, lines_by_check
from governance.checks.queries.checks import (
    NAME,
    check_named,
    check_version_numbered,
    newest_check_version,
)
from governance.checks.queries.drafts import (
    check_draft_of,
    check_drafts_of_others,
    check_text_of,
    check_version_from,
    new_check_draft_numbered,
)
from governance.checks.queries.includes import names_of_newer
from governance.checks.words import line_words
from governance.drafts.views import flow as draft_flow
from governance.drafts.views.editor_text import Writing
from governance.drafts.views.kinds import DraftKind
from governance.models import Check, CheckDraft, CheckVersion, Project
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.texts.changes import Change
from governance.texts.notation import as_written

MOST_CHANGED = 20  # tools in the address after saving
Written: TypeAlias = Writing[Check, CheckVersion, CheckDraft]


class CheckDrafts(DraftKind[Check, CheckVersion, CheckDraft]):
    word = "check"
    context_name = "check"
    addresses = "check_draft"
    list_at, one_at = "governance:checks", "governance:check"
    backtest_at = "outcomes:check_backtest_text"
    crumbs = "checks/_check_crumbs.html"
    editor = "checks/edit_draft.html"
    marks = CHECK_WORDS
    same = (
        "No change in meaning: only formatting, comments, or the order of rules that never match"
        " the same call."
    )

    def named(self, project: Project, name: str) -> Check | None:
        return check_named(project, name)

    def newest(self, of: Check) -> CheckVersion | None:
        return newest_check_version(of)

    def numbered(self, of: Check, number: int) -> CheckVersion | None:
        return check_version_numbered(of, number)

    def text_of(self, version: CheckVersion | None) -> str:
        return check_text_of(version)

    def draft_of(self, of: Check, person: int) -> CheckDraft | None:
        return check_draft_of(of, person)

    def new_draft(self, project: Project, person: int, number: int) -> CheckDraft | None:
        return new_check_draft_numbered(project, person, number)

    def keep(
        self, request: MemberRequest, of: Check, *, text: str, base: int, seen: str
    ) -> CheckDraft:
        return keep_check_draft(of, text=text, base=base, seen=seen, by=request.actor)

    def keep_new(
        self, request: MemberRequest, draft: CheckDraft, *, text: str, seen: str
    ) -> CheckDraft:
        return keep_new_check_draft(draft, text=text, seen=seen, by=request.actor)

    def save(
        self, request: MemberRequest, draft: CheckDraft, message: str
    ) -> tuple[CheckVersion, bool]:
        return save_check_draft(draft, message=message, by=request.actor)

    def act(self, request: MemberRequest, draft: CheckDraft, word: str) -> None:
        verb, _, included = word.partition(":")
        if verb in ("newer", "kept") and NAME.fullmatch(included):
            take_newer(draft, included, newest=verb == "newer", by=request.actor)

    def discard(self, request: MemberRequest, draft: CheckDraft, seen: str) -> None:
        discard_check_draft(draft, seen=seen, by=request.actor)

    def rebase(self, request: MemberRequest, draft: CheckDraft, on: CheckVersion, seen: str) -> int:
        return rebase_check_draft(draft, on, seen=seen, by=request.actor)

    def saved_as(self, version: CheckVersion) -> Check:
        return version.success_check

    def address_saved(self, request: MemberRequest, version: CheckVersion) -> str:
        """The page of the check, which offers to reclassify calls where it is bound."""
        lines = lines_by_check(bindings_of(request.project)).get(version.name, [])
        tools = list(dict.fromkeys(line.tool for line in lines))
        query = urlencode([("changed", tool) for tool in tools[:MOST_CHANGED]])
        address = super().address_saved(request, version)
        return f"{address}?{query}" if query else address

    def others(self, of: Check, person: int) -> Sequence[CheckDraft]:
        return check_drafts_of_others(of, person)

    def changes(self, since: CheckVersion | None, text: str) -> tuple[Change, ...] | None:
        return check_changes(check_text_of(since), text) if since is not None else None

    def editor_context(self, request: MemberRequest, present: Written) -> dict[str, Any]:
        check, newer = present.of, present.draft.newer if present.draft else []
        bound = lines_by_check(bindings_of(request.project)).get(check.name, []) if check else []
        checked = analyse_check(request.project, check, present.text, newer)
        overrides = {"unchanged": False} if checked.takes_newer else {}
        return overrides | {
            "checked": checked,
            "newer": newer,
            "judges": [line_words(line) for line in bound],
        }


CHECKS = CheckDrafts()


@never_cache  # whoever comes back is to see what was kept, not what stood there before
@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CHECK)
def edit_check(request: MemberRequest, check_name: str = "", draft_id: int = 0) -> HttpResponse:
    return draft_flow.edit(CHECKS, request, check_name, draft_id)


@require_POST
@member_page(Action.WRITE_CHECK)
def keep_check(request: MemberRequest, check_name: str = "", draft_id: int = 0) -> HttpResponse:
    return draft_flow.keep(CHECKS, request, check_name, draft_id)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CHECK)
def discard_check(request: MemberRequest, check_name: str = "", draft_id: int = 0) -> HttpResponse:
    return draft_flow.discard(CHECKS, request, check_name, draft_id)


@require_safe
@member_page(Action.WRITE_CHECK)
def compare_check_draft(request: MemberRequest, check_name: str) -> HttpResponse:
    return draft_flow.compare(CHECKS, request, check_name)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CHECK)
def rebase_check(request: MemberRequest, check_name: str) -> HttpResponse:
    return draft_flow.rebase(CHECKS, request, check_name)


@require_POST
@member_page(Action.WRITE_CHECK)
def written_check(request: MemberRequest) -> HttpResponse:
    """The problems of a text, its rules, and how its examples fare."""
    check, text = (
        check_named(request.project, request.POST.get("of", "")),
        as_written(request.POST.get("text", "")),
    )
    base = check_version_from(check, request.POST.get("base", ""))
    checked = analyse_check(request.project, check, text, names_of_newer(request.POST))
    is_same = base is not None and text == as_written(check_text_of(base))
    context = {"checked": checked, "unchanged": is_same and not checked.takes_newer}
    return render(request, "checks/_written_check.html", context)
