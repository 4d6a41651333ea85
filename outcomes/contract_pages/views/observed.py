"""Review of the calls that a contract in observe mode would have denied so far."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from governance.contracts.domain.enforcing import enforced
from governance.contracts.queries.contracts import existing_bundle, live_deployments
from governance.core.actor import shown
from governance.core.errors import NotFound
from governance.core.numbers import parse_number
from governance.deployments.queries import VersionThere, version_there
from governance.people.auth import MemberRequest, member_page, navigation_of
from governance.people.policies import Action, may
from governance.texts.document import read_document
from governance.web.table_files import Tables, one_of_tables
from outcomes.contract_pages.commands import take_back, tick_off
from outcomes.contract_pages.queries.observed import Line, Named, observed
from outcomes.contract_pages.tables import SUMS, WOULD_DENY
from outcomes.web.paging import with_query


@require_safe
@member_page()
def would_deny(request: MemberRequest, bundle_name: str) -> HttpResponseBase:
    places = _places(request, bundle_name)
    environment, version = request.GET.get("environment", ""), request.GET.get("version", "")
    # The environment filter includes environments in which the contract is not deployed.
    is_offered = not version and environment in navigation_of(request, request.project).waiting
    if not environment or (is_offered and environment not in places):
        environment = next(iter(places), "")
    context: dict[str, Any] = {
        "page_title": f"What {bundle_name} would deny",
        "bundle_name": bundle_name,
        "places": [(name, _address(request, bundle_name, name)) for name in places],
        "place": environment,
    }
    if not places:
        return render(request, "contract_pages/would_deny.html", context)
    there = _there(request, bundle_name, environment, version)
    overview = observed(there)
    lines = overview.lines
    context |= {
        "number": there.version.number,
        "is_live": places.get(environment) == there.version.number,
        "observes": enforced(read_document(bytes(there.version.document))) is not None,
        "lines": [(line, shown(line.ticked.author) if line.ticked else "") for line in lines],
        "calls": overview.calls,
        "counted": overview.counted,
        "left": sum(not line.is_settled for line in lines),
        "by_rule": _first(_by_rule(lines)),
        "by_tool": _first(overview.by_tool),
        "by_agent": _first(overview.by_agent),
        "may_tick": may(request.role, Action.DEPLOY),
    }
    tables: Tables = {
        "lines": (WOULD_DENY, context["lines"]),
        "by-rule": (SUMS, _by_rule(lines).items()),
        "by-tool": (SUMS, overview.by_tool.items()),
        "by-agent": (SUMS, overview.by_agent.items()),
    }
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "contract_pages/would_deny.html", context)


@require_POST
@member_page(Action.DEPLOY)
def tick(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """Mark a line as reviewed, or undo that."""
    sent = request.POST
    environment, version = sent.get("environment", ""), sent.get("version", "")
    address = with_query(_address(request, bundle_name, environment), version=version)
    named = Named(sent.get("rule", ""), sent.get("tool", ""), sent.get("agent", ""))
    try:
        there = _there(request, bundle_name, environment, version)
        if sent.get("undo"):
            take_back(there, named, by=request.actor)
        else:
            tick_off(there, named, by=request.actor)
    except NotFound as error:
        messages.error(request, str(error))
    return redirect(address)


def _there(request: MemberRequest, bundle_name: str, environment: str, number: str) -> VersionThere:
    version_number = parse_number(number)
    if number and version_number is None:
        raise NotFound("Version not found.")
    version = version_there(request.project, bundle_name, environment, version_number)
    if version is None:
        raise NotFound("This version was never deployed there.")
    return version


def _places(request: MemberRequest, bundle_name: str) -> dict[str, int]:
    """Environments in which the contract is deployed, with the version number."""
    bundle = existing_bundle(request.project, bundle_name)
    live = live_deployments(request.project, [bundle.pk])
    return {each.environment.name: each.version.number for each in live}


def _address(request: MemberRequest, bundle_name: str, environment: str) -> str:
    address = reverse("outcomes:would_deny", args=[request.project.slug, bundle_name])
    return with_query(address, environment=environment)


def _by_rule(lines: list[Line]) -> Mapping[str, int]:
    sums = Counter[str]()
    for line in lines:
        sums[line.named.rule] += line.number
    return sums


def _first(sums: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(sums.items(), key=lambda each: (-each[1], each[0]))[:10]
