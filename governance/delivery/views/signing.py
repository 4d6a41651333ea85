"""Pages of the signing key: its public half, for agents that verify, and its rotation."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from governance.delivery.commands import signing
from governance.delivery.queries.documents import retired_signing_keys
from governance.delivery.tables import RETIRED_KEYS
from governance.people.auth import MemberRequest, member_page
from governance.people.policies import Action, may
from governance.signing import signing_key_in_use
from governance.web.table_files import Tables, one_of_tables


@require_safe
@member_page()
def signing_key(request: MemberRequest) -> HttpResponseBase:
    context: dict[str, Any] = {
        "page_title": "Signing key",
        "key": signing_key_in_use(request.project),
        "retired": retired_signing_keys(request.project),
        "may_rotate": may(request.role, Action.MANAGE_SETTINGS),
    }
    tables: Tables = {"retired-signing-keys": (RETIRED_KEYS, context["retired"])}
    file = one_of_tables(request, request.project, tables)
    return file or render(request, "delivery/signing_key.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_SETTINGS)
def rotate_signing_key(request: MemberRequest) -> HttpResponse:
    if request.method == "POST":
        signing.rotate_signing_key(request.project, by=request.actor)
        messages.success(request, "Key rotated. Give the new public key to your agents.")
        return redirect("governance:signing_key", request.project.slug)
    context = {"page_title": "Rotate the signing key"}
    return render(request, "delivery/rotate_signing_key.html", context)
