"""Success checks page: the project's own, the built-in ones, and the person's own drafts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.checks.domain import DEFAULT, Binding
from governance.checks.queries.bindings import bindings_of, lines_by_check
from governance.checks.queries.checks import Ours, included_by, newest_check_versions, ours
from governance.checks.queries.drafts import check_drafts_of
from governance.checks.tables import CHECK_DRAFTS, SHIPPED
from governance.checks.tables import CHECKS as COLUMNS
from governance.checks.views.tabs import CHECKS, tabs_of_all
from governance.checks.words import checks_sentence, line_words
from governance.models import CheckDraft, CheckVersion
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.texts.metadata import name_in
from governance.web.exports import offer_part, offer_table
from governance.web.table_files import one_of_tables, page_after_page, table_file

SHOWN = 100
LINES = 3  # bindings shown per check; the rest are counted


@dataclass(frozen=True, slots=True)
class Row:
    name: str
    version: int
    description: str
    rules: int
    lines: tuple[str, ...]
    more_lines: int
    includers: list[str]
    saved: CheckVersion | None = None

    @property
    def is_used(self) -> bool:
        return bool(self.lines or self.includers) or self.name == DEFAULT.name


@require_safe
@member_page()
def checks(request: MemberRequest) -> HttpResponseBase:
    def rows() -> Iterator[CheckVersion]:
        return page_after_page(
            lambda last: newest_check_versions(request.project, last.name if last else "", SHOWN),
            SHOWN,
        )

    may_write = may(request.role, Action.WRITE_CHECK)
    if request.GET.get("table") == "drafts":
        drafts = _drafts(request) if may_write else []
        file = one_of_tables(request, request.project, {"drafts": (CHECK_DRAFTS, drafts)})
    elif request.GET.get("table") == "shipped":
        file = one_of_tables(request, request.project, {"shipped": (SHIPPED, ours())})
    else:
        file = table_file(request, request.project, "checks", COLUMNS, rows)
    if file is not None:
        return file
    drafts = _drafts(request) if may_write else []
    if drafts:
        offer_table(request, "drafts", table="drafts")
    offer_table(request, "built-in-checks", table="shipped")
    offer_part(request, "calls-by-check", "outcomes:check_use", table="checks")
    after = request.GET.get("after", "")
    versions = newest_check_versions(request.project, after if "\0" not in after else "", SHOWN + 1)
    shown = versions[:SHOWN]
    bindings = bindings_of(request.project)
    places, includers = lines_by_check(bindings), included_by(request.project)
    own = {version.name for version in shown}
    brought = [
        _row(each, places.get(each.name, ()), includers) for each in ours() if each.name not in own
    ]
    context: dict[str, Any] = {
        "page_title": "Success checks",
        "tabs": tabs_of_all(request, CHECKS),
        "sentence": checks_sentence(
            len(shown), len(bindings.lines), more=len(versions) > SHOWN or bool(after)
        ),
        "own": [_row(each, places.get(each.name, ()), includers) for each in shown],
        "brought": len(brought),
        "used": [row for row in brought if row.is_used],
        "unused": [row for row in brought if not row.is_used],
        "is_bound": bool(bindings.lines),
        "may_bind": may(request.role, Action.WRITE_BINDING),
        "after": after,
        "next": shown[-1].name if len(versions) > SHOWN else "",
        "may_write": may_write,
        "drafts": drafts,
    }
    return render(request, "checks/checks.html", context)


def _drafts(request: MemberRequest) -> list[tuple[CheckDraft, str]]:
    """The person's drafts, with the name in the text of each new check."""
    drafts = check_drafts_of(request.project, request.user.pk)
    return [(each, name_in(getattr(each, "beginning", ""))) for each in drafts]


def _row(check: CheckVersion | Ours, lines: list[Binding] | tuple[()], includers: Any) -> Row:
    return Row(
        name=check.name,
        version=check.number if isinstance(check, CheckVersion) else check.version,
        description=check.description,
        rules=check.rules,
        lines=tuple(line_words(line) for line in lines[:LINES]),
        more_lines=max(0, len(lines) - LINES),
        includers=includers.get(check.name, []),
        saved=check if isinstance(check, CheckVersion) else None,
    )
