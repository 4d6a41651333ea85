"""One's drafts of contracts: of those that are there, and of new ones."""

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

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
from governance.drafts.views.kinds import DraftKind
from governance.models import Bundle, BundleVersion, Draft, Project
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action
from governance.texts.changes import Change

Written: TypeAlias = Writing[Bundle, BundleVersion, Draft]


class ContractDrafts(DraftKind[Bundle, BundleVersion, Draft]):
    word = "contract"
    context_name = "bundle"
    addresses = "draft"
    list_at, one_at = "governance:contracts", "governance:contract"
    backtest_at = "outcomes:backtest_text"
    crumbs = "contracts/_contract_crumbs.html"
    editor = "contracts/edit_draft.html"
    marks = CONTRACT_WORDS
    same = ""
    # What keeps a text from being saved and is no fault of who called.
    refused: ClassVar = (*DraftKind.refused, EvaluationLimit, EvaluationUnavailable)

    def named(self, project: Project, name: str) -> Bundle | None:
        return bundle_named(project, name)

    def newest(self, of: Bundle) -> BundleVersion | None:
        return newest_version(of)

    def numbered(self, of: Bundle, number: int) -> BundleVersion | None:
        return version_numbered(of, number)

    def text_of(self, version: BundleVersion | None) -> str:
        return text_of(version)

    def draft_of(self, of: Bundle, person: int) -> Draft | None:
        return draft_of(of, person)

    def new_draft(self, project: Project, person: int, number: int) -> Draft | None:
        return new_draft_numbered(project, person, number)

    def keep(self, request: MemberRequest, of: Bundle, *, text: str, base: int, seen: str) -> Draft:
        return keep_draft(of, text=text, base=base, seen=seen, by=request.actor)

    def keep_new(self, request: MemberRequest, draft: Draft, *, text: str, seen: str) -> Draft:
        return keep_new_draft(draft, text=text, seen=seen, by=request.actor)

    def save(
        self, request: MemberRequest, draft: Draft, message: str
    ) -> tuple[BundleVersion, bool]:
        return save_draft(draft, message=message, by=request.actor)

    def discard(self, request: MemberRequest, draft: Draft, seen: str) -> None:
        discard_draft(draft, seen=seen, by=request.actor)

    def rebase(self, request: MemberRequest, draft: Draft, on: BundleVersion, seen: str) -> int:
        return rebase_draft(draft, on, seen=seen, by=request.actor)

    def saved_as(self, version: BundleVersion) -> Bundle:
        return version.bundle

    def others(self, of: Bundle, person: int) -> Sequence[Draft]:
        return drafts_of_others(of, person)

    def changes(self, since: BundleVersion | None, text: str) -> tuple[Change, ...] | None:
        return changes_since(since, text)

    def editor_context(self, request: MemberRequest, present: Written) -> dict[str, Any]:
        tools = tools_seen(request.project)
        return {
            # All that the script will be told, or the page would move when it is.
            "checked": check_draft(request.project, present.of, present.text, tools=tools),
            "changes": changes_since(present.base, present.text),
        }


CONTRACTS = ContractDrafts()


@never_cache  # whoever comes back is to see what was kept, not what stood there before
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
