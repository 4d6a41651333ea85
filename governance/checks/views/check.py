"""One success check: what it says, where it is used, and what its versions changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from governance.checks.authoring.meaning import check_changes
from governance.checks.authoring.outline import outline_of_check
from governance.checks.authoring.words import CHECK_WORDS
from governance.checks.commands.checks import include_newer
from governance.checks.queries.bindings import bindings_of, lines_by_check
from governance.checks.queries.checks import (
    Origin,
    check_versions_before,
    included_by,
    newer_included,
    ours_named,
    own_version,
)
from governance.checks.queries.exports import KINDS, export_of
from governance.checks.tables import CHECK_VERSIONS
from governance.checks.views.tabs import AUDIT, COMPARE, OVERVIEW, tabs_of_one
from governance.checks.words import check_sentence, line_words, otherwise_fact, rules_fact
from governance.contracts.views.audit import entries_about, file_about
from governance.core.actor import shown
from governance.core.errors import DocumentInvalid, NotFound
from governance.core.numbers import whole_number
from governance.models import CheckVersion
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.texts.compared import compared
from governance.texts.text_sides import MOST_LINES, sides_of
from governance.texts.yaml_marks import marked_lines
from governance.web.table_files import Tables, one_of_tables, page_after_page

VERSIONS = 20
MANY = 200  # rows of a file at once
CHOICES = 200  # versions that can be chosen for a comparison


@dataclass(frozen=True, slots=True)
class Shown:
    """A version of a check of the project, or what the console brings."""

    name: str
    number: int
    origin: Origin
    text: str
    description: str
    saved: CheckVersion | None = None

    def __str__(self) -> str:
        return f"{self.name} v{self.number}"

    @property
    def is_own(self) -> bool:
        return self.origin is Origin.OWN


@require_safe
@member_page()
def check(request: MemberRequest, check_name: str) -> HttpResponseBase:
    """As it is now."""
    found = _found(request, check_name)
    before = whole_number(request.GET.get("before"))
    lines = lines_by_check(bindings_of(request.project)).get(check_name, [])
    includers = included_by(request.project).get(check_name, [])
    context = _head(request, found, OVERVIEW) | _text(found)
    context |= {
        "sentence": check_sentence(
            check_name, found.number, origin=found.origin, lines=lines, includers=includers
        ),
        "lines_of_it": [line_words(line) for line in lines],
        "includers": includers,
        "is_paged": before is not None,
        "may_bind": may(request.role, Action.WRITE_BINDING),
    }
    if found.is_own and not lines and not includers:
        context["to_bind"] = context["outline"].tools
    if found.saved is not None:
        versions = check_versions_before(found.saved.success_check, before, VERSIONS + 1)
        context |= {
            "newer": newer_included(found.saved),
            "versions": versions[:VERSIONS],
            "older": versions[VERSIONS - 1].number if len(versions) > VERSIONS else None,
        }
    tables: Tables = {"versions": (CHECK_VERSIONS, _all_versions(found))}
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "checks/check.html", context)


def _all_versions(found: Shown) -> Iterator[CheckVersion]:
    if found.saved is None:
        return iter(())
    of = found.saved.success_check
    return page_after_page(
        lambda last: check_versions_before(of, last.number if last else None, MANY), MANY
    )


@require_safe
@member_page()
def check_version(request: MemberRequest, check_name: str, number: int) -> HttpResponse:
    newest = _found(request, check_name)
    if not newest.is_own and number != newest.number:
        messages.info(request, f"This console brings v{newest.number} of it, and no other.")
        return redirect("governance:check", request.project.slug, check_name)
    found = newest if number == newest.number else _found(request, check_name, number)
    context = _head(request, newest, "") | _text(found)
    context |= {"page_title": f"{check_name} v{number}"}
    return render(request, "checks/check_version.html", context)


@require_safe
@member_page()
def compare_check(request: MemberRequest, check_name: str) -> HttpResponse:
    newest = _found(request, check_name)
    old, new, kept = compared(request, newest.number)
    before, after = _found(request, check_name, old), _found(request, check_name, new)
    is_whole = "whole" in request.GET
    sides, differing = sides_of(before.text, after.text, whole=is_whole, words=CHECK_WORDS)
    context = _head(request, newest, COMPARE) | {
        "page_title": f"{check_name} v{old} and v{new}",
        "before": before,
        "after": after,
        "changes": check_changes(before.text, after.text) or (),
        "is_whole": is_whole,
        "sides": sides,
        "differing": differing,
        "included": _included_changes(before, after),
        "choices": check_versions_before(newest.saved.success_check, None, CHOICES)
        if newest.saved
        else [],
        "kept": kept,
    }
    return render(request, "checks/compare_check.html", context)


@require_safe
@member_page()
def check_audit(request: MemberRequest, check_name: str) -> HttpResponseBase:
    """Who did what to it; to what the console brings nobody does anything."""
    found = _found(request, check_name)
    if found.saved is None:
        raise NotFound("This check comes with the console: there is nothing to tell of it.")
    if (file := file_about(request, found.saved.success_check)) is not None:
        return file
    context = _head(request, found, AUDIT) | {"page_title": f"Audit of {check_name}"}
    context |= entries_about(request, found.saved.success_check)
    return render(request, "checks/check_audit.html", context)


@require_safe
@member_page()
def download_check(
    request: MemberRequest, check_name: str, number: int, kind: str
) -> HttpResponseBase:
    export = export_of(request.project, check_name, number) if kind in KINDS else None
    if export is None:
        raise Http404
    answer = HttpResponse(export.content(kind), content_type=KINDS[kind].media_type)
    answer["Content-Disposition"] = f'attachment; filename="{export.file_name(kind)}"'
    return answer


@require_POST
@member_page(Action.WRITE_CHECK)
def take_newer_included(request: MemberRequest, check_name: str) -> HttpResponse:
    found = _found(request, check_name)
    if found.saved is None:
        raise NotFound("This check includes nothing that could be newer.")
    try:
        version, is_new = include_newer(found.saved, by=request.actor)
    except DocumentInvalid as refused:
        messages.error(request, f"Not taken: {refused}")
    else:
        told = f"{version} is saved." if is_new else f"{version} includes the newest already."
        messages.success(request, told)
    return redirect("governance:check", request.project.slug, check_name)


def _found(request: MemberRequest, name: str, number: int | None = None) -> Shown:
    saved = own_version(request.project, name, number)
    if saved is not None:
        text = bytes(saved.document).decode()
        return Shown(name, saved.number, Origin.OWN, text, saved.description, saved)
    brought = ours_named(name)
    if brought is None or number not in (None, brought.version):
        raise NotFound("There is no such check, or no such version of it.")
    return Shown(name, brought.version, brought.origin, brought.text, brought.description)


def _head(request: MemberRequest, newest: Shown, current: str) -> dict[str, Any]:
    """What all pages of a check show above what is theirs."""
    return {
        "page_title": newest.name,
        "check": newest,
        "tabs": tabs_of_one(request, newest.name, current) if newest.is_own else [],
        "may_write": may(request.role, Action.WRITE_CHECK),
        "kinds": list(KINDS),
    }


def _text(found: Shown) -> dict[str, Any]:
    outline = outline_of_check(found.text)
    lines = marked_lines(found.text, CHECK_WORDS)
    included = found.saved.included if found.saved else []
    return {
        "version": found,
        "author": shown(found.saved.author) if found.saved else "",
        "outline": outline,
        "included": included,
        "rules_fact": rules_fact(outline, len(included)),
        "otherwise_fact": otherwise_fact(outline),
        "lines": lines[:MOST_LINES],
        "more_lines": max(0, len(lines) - MOST_LINES),
    }


def _included_changes(before: Shown, after: Shown) -> list[tuple[str, int | None, int | None]]:
    """Each included check whose version differs: was, is."""
    was, now = (
        {each["name"]: each["version"] for each in side.saved.included} if side.saved else {}
        for side in (before, after)
    )
    names = list(dict.fromkeys([*was, *now]))
    return [
        (name, was.get(name), now.get(name)) for name in names if was.get(name) != now.get(name)
    ]
