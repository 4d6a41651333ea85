"""Drafts of success checks: of saved checks, and of new ones."""

from typing import Any, Final, TypeAlias
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
from governance.core.actor import Actor
from governance.drafts.views import flow as draft_flow
from governance.drafts.views.editor_text import Writing
from governance.drafts.views.kinds import DraftKind
from governance.models import Check, CheckDraft, CheckVersion
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.texts.changes import Change
from governance.texts.notation import as_written

MOST_CHANGED = 20  # tools in the address after saving
Written: TypeAlias = Writing[Check, CheckVersion, CheckDraft]


def _act(draft: CheckDraft, word: str, *, by: Actor) -> None:
    verb, _, included = word.partition(":")
    if verb in ("newer", "kept") and NAME.fullmatch(included):
        take_newer(draft, included, newest=verb == "newer", by=by)


def _check_of(version: CheckVersion) -> Check:
    return version.success_check


def _query_saved(request: MemberRequest, version: CheckVersion) -> str:
    """Tools whose calls the check's page offers to reclassify, as a query string."""
    lines = lines_by_check(bindings_of(request.project)).get(version.name, [])
    tools = list(dict.fromkeys(line.tool for line in lines))
    return urlencode([("changed", tool) for tool in tools[:MOST_CHANGED]])


def _changes(since: CheckVersion | None, text: str) -> tuple[Change, ...] | None:
    return check_changes(check_text_of(since), text) if since is not None else None


def _editor_context(request: MemberRequest, present: Written) -> dict[str, Any]:
    check, newer = present.of, present.draft.newer if present.draft else []
    bound = lines_by_check(bindings_of(request.project)).get(check.name, []) if check else []
    checked = analyse_check(request.project, check, present.text, newer)
    overrides = {"unchanged": False} if checked.takes_newer else {}
    return overrides | {
        "checked": checked,
        "newer": newer,
        "judges": [line_words(line) for line in bound],
    }


CHECKS: Final = DraftKind[Check, CheckVersion, CheckDraft](
    word="check",
    context_name="check",
    addresses="check_draft",
    list_at="governance:checks",
    one_at="governance:check",
    backtest_at="outcomes:check_backtest_text",
    crumbs="checks/_check_crumbs.html",
    editor="checks/edit_draft.html",
    marks=CHECK_WORDS,
    same=(
        "No change in meaning: only formatting, comments, or the order of rules that never match"
        " the same call."
    ),
    named=check_named,
    newest=newest_check_version,
    numbered=check_version_numbered,
    text_of=check_text_of,
    draft_of=check_draft_of,
    new_draft=new_check_draft_numbered,
    others=check_drafts_of_others,
    changes=_changes,
    saved_as=_check_of,
    keep=keep_check_draft,
    keep_new=keep_new_check_draft,
    save=save_check_draft,
    discard=discard_check_draft,
    rebase=rebase_check_draft,
    editor_context=_editor_context,
    act=_act,
    query_saved=_query_saved,
)


@never_cache  # the back button must show the saved draft, not a cached page
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
    """Problems of a text, its rules, and the results of its examples."""
    check, text = (
        check_named(request.project, request.POST.get("of", "")),
        as_written(request.POST.get("text", "")),
    )
    base = check_version_from(check, request.POST.get("base", ""))
    checked = analyse_check(request.project, check, text, names_of_newer(request.POST))
    is_same = base is not None and text == as_written(check_text_of(base))
    context = {"checked": checked, "unchanged": is_same and not checked.takes_newer}
    return render(request, "checks/_written_check.html", context)
