"""Pages of one success check: its text, bindings and versions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from governance.checks.authoring.meaning import check_changes
from governance.checks.authoring.outline import outline_of_check
from governance.checks.authoring.words import CHECK_WORDS
from governance.checks.commands.bindings import BindingsMovedOn, bind
from governance.checks.commands.checks import include_newer
from governance.checks.domain import Binding, with_line
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
from governance.core.errors import DocumentInvalid, InvalidInput, NotFound
from governance.core.numbers import parse_number
from governance.models import CheckVersion
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.texts.compared import compared
from governance.texts.text_sides import MOST_LINES, sides_of
from governance.texts.yaml_marks import marked_lines
from governance.web.exports import offer_part
from governance.web.table_files import Tables, one_of_tables, page_after_page

VERSIONS = 20
MANY = 200  # rows per query for a file
CHOICES = 200  # versions offered for comparison
TOOLS = 20  # globs in the address after a change


@dataclass(frozen=True, slots=True)
class Shown:
    """A version of a check of the project, or a built-in check."""

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
    """Page of the newest version."""
    shown = _shown_check(request, check_name)
    before = parse_number(request.GET.get("before"))
    lines = lines_by_check(bindings_of(request.project)).get(check_name, [])
    includers = included_by(request.project).get(check_name, [])
    context = _head(request, shown, OVERVIEW) | _text(shown)
    context |= {
        "sentence": check_sentence(
            check_name, shown.number, origin=shown.origin, lines=lines, includers=includers
        ),
        "lines_of_it": [line_words(line) for line in lines],
        "changed_tools": request.GET.getlist("changed")[:TOOLS] if lines else [],
        "includers": includers,
        "is_paged": before is not None,
        "may_bind": may(request.role, Action.WRITE_BINDING),
    }
    if shown.origin is not Origin.BUILT_IN and not lines and not includers:
        context["to_bind"] = context["outline"].tools
    context["edit_is_next"] = not context["may_bind"] or not (
        "to_bind" in context or context["changed_tools"]
    )
    if shown.saved is not None:
        versions = check_versions_before(shown.saved.success_check, before, VERSIONS + 1)
        context |= {
            "newer": newer_included(shown.saved),
            "versions": versions[:VERSIONS],
            "older": versions[VERSIONS - 1].number if len(versions) > VERSIONS else None,
        }
    offer_part(request, "calls", "outcomes:check_use", table="checks", of=shown.name)
    tables: Tables = {"versions": (CHECK_VERSIONS, _all_versions(shown))}
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "checks/check.html", context)


def _all_versions(shown: Shown) -> Iterator[CheckVersion]:
    if shown.saved is None:
        return iter(())
    of = shown.saved.success_check
    return page_after_page(
        lambda last: check_versions_before(of, last.number if last else None, MANY), MANY
    )


@require_safe
@member_page()
def check_version(request: MemberRequest, check_name: str, number: int) -> HttpResponse:
    newest = _shown_check(request, check_name)
    if not newest.is_own and number != newest.number:
        messages.info(request, f"This console has v{newest.number} only.")
        return redirect("governance:check", request.project.slug, check_name)
    shown = newest if number == newest.number else _shown_check(request, check_name, number)
    context = _head(request, newest, "") | _text(shown)
    context |= {"page_title": f"{check_name} v{number}"}
    return render(request, "checks/check_version.html", context)


@require_safe
@member_page()
def compare_check(request: MemberRequest, check_name: str) -> HttpResponse:
    newest = _shown_check(request, check_name)
    old, new, parameters = compared(request, newest.number)
    before, after = _shown_check(request, check_name, old), _shown_check(request, check_name, new)
    all_lines = "whole" in request.GET
    sides, differing = sides_of(before.text, after.text, all_rows=all_lines, words=CHECK_WORDS)
    context = _head(request, newest, COMPARE) | {
        "page_title": f"{check_name} v{old} and v{new}",
        "before": before,
        "after": after,
        "changes": check_changes(before.text, after.text) or (),
        "is_whole": all_lines,
        "sides": sides,
        "differing": differing,
        "included": _included_changes(before, after),
        "choices": check_versions_before(newest.saved.success_check, None, CHOICES)
        if newest.saved
        else [],
        "kept": parameters,
    }
    return render(request, "checks/compare_check.html", context)


@require_safe
@member_page()
def check_audit(request: MemberRequest, check_name: str) -> HttpResponseBase:
    """Audit log of a check; built-in checks have none."""
    shown = _shown_check(request, check_name)
    if shown.saved is None:
        raise NotFound("Built-in checks have no audit log.")
    if (file := file_about(request, shown.saved.success_check)) is not None:
        return file
    context = _head(request, shown, AUDIT) | {"page_title": f"Audit of {check_name}"}
    context |= entries_about(request, shown.saved.success_check)
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
    shown = _shown_check(request, check_name)
    if shown.saved is None:
        raise NotFound("Built-in checks include nothing.")
    try:
        version, is_new = include_newer(shown.saved, by=request.actor)
    except DocumentInvalid as refused:
        messages.error(request, f"Can't include the newer version: {refused}")
    else:
        message = f"{version} saved." if is_new else f"{version} already includes the newest."
        messages.success(request, message)
    return redirect("governance:check", request.project.slug, check_name)


@require_POST
@member_page(Action.WRITE_BINDING)
def bind_check(request: MemberRequest, check_name: str) -> HttpResponse:
    """Add one binding for this check."""
    globs = (request.POST.get(name, "").strip() or "*" for name in ("environment", "agent"))
    environment, agent = globs
    line = Binding(environment, agent, request.POST.get("tool", "").strip(), check_name)
    present = bindings_of(request.project)
    try:
        lines = with_line(present.lines, line)
        bind(request.project, lines, revision=present.revision, by=request.actor)
    except (BindingsMovedOn, InvalidInput) as refused:
        messages.error(request, f"Not bound: {refused}")
        return redirect("governance:check", request.project.slug, check_name)
    messages.success(request, f"Bound to {line.tool[:100]}. It applies to new calls.")
    address = reverse("governance:check", args=[request.project.slug, check_name])
    return redirect(f"{address}?{urlencode({'changed': line.tool})}")


def _shown_check(request: MemberRequest, name: str, number: int | None = None) -> Shown:
    saved = own_version(request.project, name, number)
    if saved is not None:
        text = bytes(saved.document).decode()
        return Shown(name, saved.number, Origin.OWN, text, saved.description, saved)
    brought = ours_named(name)
    if brought is None or number not in (None, brought.version):
        raise NotFound("No such check or version.")
    return Shown(name, brought.version, brought.origin, brought.text, brought.description)


def _head(request: MemberRequest, newest: Shown, current: str) -> dict[str, Any]:
    """Context that all pages of a check share."""
    return {
        "page_title": newest.name,
        "check": newest,
        "tabs": tabs_of_one(request, newest.name, current) if newest.is_own else [],
        "may_write": may(request.role, Action.WRITE_CHECK),
        "kinds": list(KINDS),
    }


def _text(version: Shown) -> dict[str, Any]:
    outline = outline_of_check(version.text)
    lines = marked_lines(version.text, CHECK_WORDS)
    included = version.saved.included if version.saved else []
    return {
        "version": version,
        "author": shown(version.saved.author) if version.saved else "",
        "outline": outline,
        "included": included,
        "rules_fact": rules_fact(outline, len(included)),
        "otherwise_fact": otherwise_fact(outline),
        "lines": lines[:MOST_LINES],
        "more_lines": max(0, len(lines) - MOST_LINES),
    }


def _included_changes(before: Shown, after: Shown) -> list[tuple[str, int | None, int | None]]:
    """Included checks whose version differs, with the version before and after."""
    was, now = (
        {each["name"]: each["version"] for each in side.saved.included} if side.saved else {}
        for side in (before, after)
    )
    names = list(dict.fromkeys([*was, *now]))
    return [
        (name, was.get(name), now.get(name)) for name in names if was.get(name) != now.get(name)
    ]
