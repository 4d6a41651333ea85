"""Pages of one contract: its deployments, its versions, and the changes between them."""

from typing import Any

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.contracts.domain.grammar import CONTRACT_WORDS
from governance.contracts.domain.meaning import changes
from governance.contracts.domain.rule_aspects import rules_in_words
from governance.contracts.queries.analysis import Marked, check_text, tools_seen
from governance.contracts.queries.bundles import assignments_of, document_of, places_with_a_past
from governance.contracts.queries.contracts import (
    existing_bundle,
    live_deployments,
    version_numbered,
    versions_before,
)
from governance.contracts.queries.requests import waiting_requests
from governance.contracts.tables import LIVE
from governance.contracts.tables import VERSIONS as SAVED
from governance.contracts.views.tabs import COMPARE, OVERVIEW, TEXT, newest_named, shown_tabs
from governance.contracts.views.use import use_context
from governance.contracts.words import live_sentence, mode_fact, rules_fact
from governance.core.actor import shown
from governance.core.errors import NotFound
from governance.core.numbers import parse_number
from governance.models import Bundle, BundleVersion, Deployment
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may, may_somewhere
from governance.texts.compared import compared
from governance.texts.dialect import Dialect
from governance.texts.document import Document
from governance.texts.outline import outline
from governance.texts.text_sides import MOST_LINES, sides_of
from governance.texts.yaml_marks import marked_lines
from governance.web.exports import offer_part
from governance.web.table_files import Tables, one_of_tables, page_after_page

VERSIONS = 20
MANY = 200  # rows per query for a file
CHOICES = 200  # versions offered for comparison


@require_safe
@member_page()
def contract(request: MemberRequest, bundle_name: str) -> HttpResponseBase:
    newest, *rest = newest_named(request, bundle_name, 2)
    earlier, bundle = rest[0] if rest else None, newest.bundle
    before = parse_number(request.GET.get("before"))
    versions = versions_before(bundle, before, VERSIONS + 1)
    live = live_deployments(request.project, [bundle.pk])
    document = document_of(newest)
    context = _head(request, newest, OVERVIEW) | {
        "sentence": live_sentence(bundle_name, newest.number, _numbers(live)),
        "live": live,
        "can_go_back": places_with_a_past(bundle),
        "waiting": waiting_requests(request.project, bundle=bundle, limit=5),
        "live_numbers": {each.version.number for each in live},
        "is_deployed": any(each.version_id == newest.pk for each in live),
        "may_assign": may_somewhere(request.actor, Action.ASSIGN),
        "assignments": assignments_of(bundle),
        "rules_fact": rules_fact(document),
        "mode_fact": mode_fact(document),
        "versions": versions[:VERSIONS],
        "older": versions[VERSIONS - 1].number if len(versions) > VERSIONS else None,
        "is_paged": before is not None,
        "earlier": earlier,
    }
    context |= use_context(request, bundle_name, list(_numbers(live)))
    if earlier is not None:
        context |= _difference(earlier, newest)
    all_versions = page_after_page(
        lambda last: versions_before(bundle, last.number if last else None, MANY), MANY
    )
    tables: Tables = {"live": (LIVE, live), "versions": (SAVED, all_versions)}
    offer_part(request, "agents", "outcomes:contract_figures", table="agents", of=bundle.name)
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "contracts/contract.html", context)


@require_safe
@member_page()
def contract_version(
    request: MemberRequest, bundle_name: str, number: int | None = None
) -> HttpResponse:
    """Text of a version, by default the newest."""
    newest = newest_named(request, bundle_name)[0]
    bundle = newest.bundle
    version = newest if number in (None, newest.number) else _version(bundle, number)
    document = document_of(version)
    live = live_deployments(request.project, [bundle.pk])
    lines = marked_lines(document.text, CONTRACT_WORDS)
    in_words = rules_in_words(document)
    context = _head(request, newest, TEXT) | {
        "page_title": f"{bundle_name} v{version.number}",
        "version": version,
        "author": shown(version.author),
        "places": [each.environment.name for each in live if each.version_id == version.pk],
        "lines": lines[:MOST_LINES],
        "more_lines": max(0, len(lines) - MOST_LINES),
        "rules": [(rule, in_words.get(rule.id, "")) for rule in outline(document)],
        "warnings": _surprises(request, document),
        "other_dialect": _other(document.dialect),
    }
    return render(request, "contracts/contract_version.html", context)


@require_safe
@member_page()
def compare_contract(request: MemberRequest, bundle_name: str) -> HttpResponse:
    newest = newest_named(request, bundle_name)[0]
    bundle = newest.bundle
    old, new, parameters = compared(request, newest.number)
    before, after = _version(bundle, old), _version(bundle, new)
    context = _head(request, newest, COMPARE) | {
        "page_title": f"{bundle_name} v{old} and v{new}",
        "before": before,
        "after": after,
        "is_whole": "whole" in request.GET,
        "choices": versions_before(bundle, None, CHOICES),
        "kept": parameters,
    }
    context |= _difference(before, after, all_rows="whole" in request.GET)
    return render(request, "contracts/compare_contract.html", context)


@require_safe
@member_page()
def download_contract(request: MemberRequest, bundle_name: str, number: int) -> HttpResponse:
    bundle = existing_bundle(request.project, bundle_name)
    document = document_of(_version(bundle, number))
    dialect_name = request.GET.get("dialect")
    dialect = Dialect(dialect_name) if dialect_name in list(Dialect) else document.dialect
    twin = "" if dialect is document.dialect else f".{dialect}-dialect"
    answer = HttpResponse(document.text_in(dialect), content_type="application/yaml; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{bundle_name}-v{number}{twin}.yaml"'
    return answer


def _head(request: MemberRequest, newest: BundleVersion, current: str) -> dict[str, Any]:
    """Context that all pages of a contract share."""
    return {
        "page_title": newest.bundle.name,
        "bundle": newest.bundle,
        "newest": newest,
        "tabs": shown_tabs(request, newest.bundle.name, current),
        "may_write": may(request.role, Action.WRITE_CONTRACT),
        "may_deploy": may_somewhere(request.actor, Action.DEPLOY),
    }


def _difference(
    before: BundleVersion, after: BundleVersion, *, all_rows: bool = False
) -> dict[str, Any]:
    old, new = document_of(before), document_of(after)
    sides, differing = sides_of(old.text, new.text, all_rows=all_rows, words=CONTRACT_WORDS)
    return {"changes": changes(old, new), "sides": sides, "differing": differing}


def _version(bundle: Bundle, number: int | None) -> BundleVersion:
    version = version_numbered(bundle, number or 0)
    if version is None:
        raise NotFound(f"{bundle.name} has no such version.")
    return version


def _numbers(live: list[Deployment]) -> dict[str, int]:
    return {each.environment.name: each.version.number for each in live}


def _surprises(request: MemberRequest, document: Document) -> list[Marked]:
    checked = check_text(document.text, tools=tools_seen(request.project))
    return [each for each in checked.problems if each.severity == "warning"]


def _other(dialect: Dialect) -> Dialect:
    return Dialect.NEW if dialect is Dialect.OLD else Dialect.OLD
