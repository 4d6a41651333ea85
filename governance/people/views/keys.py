"""API keys: list, create, show once, revoke."""

from collections.abc import Iterator

from django.contrib import messages
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from governance.core.errors import InvalidInput, NotFound
from governance.models import ApiKey
from governance.people.auth import MemberRequest, console_address, member_page
from governance.people.commands import keys as commands_keys
from governance.people.commands.keys import KeyLimits, limit_key, make_key
from governance.people.domain import agent_within, digest_of
from governance.people.forms import KeyForm, KeyLimitsForm
from governance.people.policies import Action, may
from governance.people.queries.keys import (
    ended_keys,
    key_numbered,
    keys_before,
    live_among,
    live_keys,
)
from governance.people.queries.projects import environments
from governance.people.tables import KEYS
from governance.people.views.shown_once import forget_secret, redirect_with_secret, secret_of
from governance.web.exports import offer_table
from governance.web.forms import sent
from governance.web.table_files import Tables, one_of_tables, page_after_page, table_file

MANY = 500  # rows of a file per query


@require_safe
@member_page()
def keys(request: MemberRequest) -> HttpResponseBase:
    if (file := _file(request)) is not None:
        return file
    live, ended = live_keys(request.project), ended_keys(request.project)
    if ended:
        offer_table(request, "ended-keys", table="ended-keys")
    context = {
        "page_title": "API keys",
        "keys": live,
        "ended": ended,
        "unused": sum(key.last_used_at is None for key in live),
        "may_manage": may(request.role, Action.MANAGE_KEYS),
    }
    return render(request, "people/keys.html", context)


def _file(request: MemberRequest) -> HttpResponseBase | None:
    def rows(*, only_ended: bool) -> Iterator[ApiKey]:
        def page(last: ApiKey | None) -> list[ApiKey]:
            before = last.pk if last else None
            return keys_before(request.project, before, MANY, only_ended=only_ended)

        return page_after_page(page, MANY)

    if request.GET.get("table") == "ended-keys":
        ended: Tables = {"ended-keys": (KEYS, rows(only_ended=True))}
        return one_of_tables(request, request.project, ended)
    return table_file(request, request.project, "keys", KEYS, lambda: rows(only_ended=False))


@require_safe
@member_page()
def key(request: MemberRequest, key_id: int) -> HttpResponse:
    row = _key(request, key_id)
    context = {
        "page_title": row.name,
        "key": row,
        "is_active": row.pk in live_among([row.pk]),
        "has_previous": row.previous_until is not None and row.previous_until > timezone.now(),
        "may_manage": may(request.role, Action.MANAGE_KEYS),
    }
    return render(request, "people/key.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_KEYS)
def key_limits(request: MemberRequest, key_id: int) -> HttpResponse:
    row = active_key(request, key_id)
    form = KeyLimitsForm(sent(request), initial=KeyLimitsForm.of(row))
    if form.is_valid():
        try:
            limit_key(row, KeyLimits(**form.limits()), by=request.actor)
        except InvalidInput as error:
            form.take(error)
        else:
            messages.success(request, f"Limits of {row.name} saved. Takes effect within 1 s.")
            return redirect("governance:key", request.project.slug, row.pk)
    context = {"page_title": f"Limits of {row.name}", "key": row, "form": form}
    return render(request, "people/key_limits.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_KEYS)
def new_key(request: MemberRequest) -> HttpResponse:
    form = KeyForm(sent(request), max_days=request.project.max_key_days)
    if form.is_valid():
        try:
            text, key = make_key(request.project, **form.key_fields(), by=request.actor)
        except InvalidInput as error:
            form.take(error)
        else:
            created = reverse("governance:key_created", args=[request.project.slug, key.pk])
            return redirect_with_secret(created, text)
    context = {
        "page_title": "New key",
        "form": form,
        "known_environments": environments(request.project),
    }
    return render(request, "people/new_key.html", context, status=422 if form.errors else 200)


@require_safe
@never_cache
@member_page(Action.MANAGE_KEYS)
def key_created(request: MemberRequest, key_id: int) -> HttpResponse:
    """Show the new key once; after that, redirect to the list of keys."""
    key, text = active_key(request, key_id), secret_of(request)
    if digest_of(text) != bytes(key.digest):
        return forget_secret(request, redirect("governance:keys", request.project.slug))
    context = {
        "page_title": "New key",
        "key": key,
        "text": text,
        "agent": agent_within(key.agent),
        "url": console_address(request),
    }
    return forget_secret(request, render(request, "people/key_created.html", context))


@require_http_methods(["GET", "HEAD", "POST"])
@member_page(Action.MANAGE_KEYS)
def revoke_key(request: MemberRequest, key_id: int) -> HttpResponse:
    key = active_key(request, key_id)
    if request.method == "POST":
        commands_keys.revoke_key(key, by=request.actor)
        messages.success(request, f"{key.name} revoked. Requests with it fail within 1 s.")
        return redirect("governance:keys", request.project.slug)
    context = {"page_title": f"Revoke {key.name}", "key": key}
    return render(request, "people/revoke_key.html", context)


def active_key(request: MemberRequest, key_id: int) -> ApiKey:
    key = _key(request, key_id)
    if key.revoked_at is not None:
        raise NotFound("Key not found.")
    return key


def _key(request: MemberRequest, key_id: int) -> ApiKey:
    key = key_numbered(request.project, key_id)
    if key is None:
        raise NotFound("Key not found.")
    return key
