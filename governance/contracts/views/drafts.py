"""Drafts of contracts: of saved contracts and of new ones."""

from typing import Any, Final, TypeAlias

from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from governance.contracts.commands.drafts import (
    discard_draft,
    keep_draft,
    keep_new_draft,
    rebase_draft,
    save_draft,
)
from governance.contracts.domain.grammar import CONTRACT_WORDS
from governance.contracts.queries.analysis import check_draft, tools_seen
from governance.contracts.queries.contracts import bundle_named, newest_version, version_numbered
from governance.contracts.queries.drafts import (
    changes_since,
    draft_of,
    drafts_of_others,
    new_draft_numbered,
    text_of,
)
from governance.core.errors import EvaluationLimit, EvaluationUnavailable
from governance.drafts.views import flow as draft_flow
from governance.drafts.views.editor_text import Writing
from governance.drafts.views.kinds import REFUSED, DraftKind
from governance.models import Bundle, BundleVersion, Draft
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action

Written: TypeAlias = Writing[Bundle, BundleVersion, Draft]


def _editor_context(request: MemberRequest, present: Written) -> dict[str, Any]:
    tools = tools_seen(request.project)
    return {
        # Rendered up front, or the page would shift when the script fetches it.
        "checked": check_draft(request.project, present.of, present.text, tools=tools),
        "changes": changes_since(present.base, present.text),
    }


def _bundle_of(version: BundleVersion) -> Bundle:
    return version.bundle


CONTRACTS: Final = DraftKind[Bundle, BundleVersion, Draft](
    word="contract",
    context_name="bundle",
    addresses="draft",
    list_at="governance:contracts",
    one_at="governance:contract",
    backtest_at="outcomes:backtest_text",
    crumbs="contracts/_contract_crumbs.html",
    editor="contracts/edit_draft.html",
    marks=CONTRACT_WORDS,
    same="",
    # Evaluation limits also prevent a text from being saved.
    refused=(*REFUSED, EvaluationLimit, EvaluationUnavailable),
    named=bundle_named,
    newest=newest_version,
    numbered=version_numbered,
    text_of=text_of,
    draft_of=draft_of,
    new_draft=new_draft_numbered,
    others=drafts_of_others,
    changes=changes_since,
    saved_as=_bundle_of,
    keep=keep_draft,
    keep_new=keep_new_draft,
    save=save_draft,
    discard=discard_draft,
    rebase=rebase_draft,
    editor_context=_editor_context,
)


@never_cache  # the back button must show the saved draft, not a cached page
@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def edit(request: MemberRequest, bundle_name: str = "", draft_id: int = 0) -> HttpResponse:
    return draft_flow.edit(CONTRACTS, request, bundle_name, draft_id)


@require_POST
@member_page(Action.WRITE_CONTRACT)
def keep(request: MemberRequest, bundle_name: str = "", draft_id: int = 0) -> HttpResponse:
    return draft_flow.keep(CONTRACTS, request, bundle_name, draft_id)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def discard(request: MemberRequest, bundle_name: str = "", draft_id: int = 0) -> HttpResponse:
    return draft_flow.discard(CONTRACTS, request, bundle_name, draft_id)


@require_safe
@member_page(Action.WRITE_CONTRACT)
def compare_draft(request: MemberRequest, bundle_name: str) -> HttpResponse:
    return draft_flow.compare(CONTRACTS, request, bundle_name)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.WRITE_CONTRACT)
def rebase(request: MemberRequest, bundle_name: str) -> HttpResponse:
    return draft_flow.rebase(CONTRACTS, request, bundle_name)
