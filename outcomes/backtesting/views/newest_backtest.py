"""Backtest shown on a contract's page: that of its newest version, else the most recent one."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from governance.contracts.queries.contracts import existing_bundle, newest_version
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from outcomes.backtesting.queries import newest_backtest_of, newest_backtest_of_bundle
from outcomes.backtesting.words import backtest_context


@require_safe
@member_page()
def newest_backtest(request: MemberRequest, bundle_name: str) -> HttpResponse:
    """The part alone for the contract's page, or a full page if the link is opened directly."""
    bundle = existing_bundle(request.project, bundle_name)
    newest = newest_version(bundle)
    backtest = newest and newest_backtest_of(request.project.pk, newest.revision_hash)
    is_of_newest = backtest is not None
    backtest = backtest or newest_backtest_of_bundle(request.project.pk, bundle.name)
    is_part = request.headers.get("HX-Request") == "true"
    context: dict[str, Any] = {
        "page_title": f"Newest backtest of {bundle.name}",
        "bundle": bundle,
        "newest": newest,
        "is_of_newest": is_of_newest,
        "may_start": may(request.role, Action.WRITE_CONTRACT),
        "alone": is_part,
    }
    if backtest is not None:
        context |= backtest_context(backtest)
        version = newest if is_of_newest else backtest.version
        if version is not None:
            context |= {"of_what": f"v{version.number}", "number": version.number}
    name = "backtesting/_newest_backtest.html" if is_part else "backtesting/newest_backtest.html"
    return render(request, name, context)
