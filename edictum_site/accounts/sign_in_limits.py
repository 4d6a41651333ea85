"""Limits on failed sign-ins, counted per account and client address.

A browser that has signed in to the account before is counted separately, so that attackers at the
same address, or behind the same proxy, can't lock its user out.
"""

import math
import secrets
import time
from dataclasses import dataclass
from typing import Final

from allauth.core.internal import ratelimit
from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from governance.models import User
from governance.people.queries.people import user_with

APP: Final = "allauth.account"
ACTION: Final = "login_failed"
OF_STRANGERS: Final = "10/m/ip,5/300s/key"
OF_KNOWN_BROWSERS: Final = "5/300s/key"
COOKIE: Final = "known_browser"
COOKIE_LASTS: Final = 180 * 24 * 60 * 60  # seconds


@dataclass(frozen=True, slots=True)
class Limit:
    rates: str
    key: str


def limit_of(request: HttpRequest, email: str) -> Limit:
    email = email.strip().lower()
    browser = _known_browser(request, email)
    if browser:
        return Limit(OF_KNOWN_BROWSERS, f"browser:{browser}")
    return Limit(OF_STRANGERS, f"{ratelimit.get_ip(request)}:{email}")


def consume(request: HttpRequest, limit: Limit) -> ratelimit.RateLimitUsage | None:
    """Consume one attempt; None if none is left. Roll it back if the sign-in succeeds."""
    config = {ACTION: limit.rates}
    return ratelimit.consume(request, app=APP, action=ACTION, config=config, key=limit.key)


def time_to_wait(request: HttpRequest, limit: Limit) -> str:
    """Time until the next attempt is allowed, as text."""
    now = time.time()
    waits = [0.0]
    for rate in ratelimit.parse_rates(limit.rates):
        key = ratelimit.get_cache_key(request, app=APP, action=ACTION, rate=rate, key=limit.key)
        tries = [at for at in cache.get(key, []) if at > now - rate.duration]  # the newest first
        if len(tries) >= rate.amount:
            waits.append(tries[rate.amount - 1] + rate.duration - now)
    minutes = max(1, math.ceil(max(waits) / 60))
    return "1 minute" if minutes == 1 else f"{minutes} minutes"


def remember_browser(response: HttpResponseBase, user: User) -> None:
    response.set_signed_cookie(
        COOKIE,
        f"{user.pk}:{secrets.token_urlsafe(16)}",
        salt=COOKIE,
        max_age=COOKIE_LASTS,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _known_browser(request: HttpRequest, email: str) -> str:
    """Token of this browser if it has signed in to the account before, else empty."""
    cookie = request.get_signed_cookie(COOKIE, "", salt=COOKIE, max_age=COOKIE_LASTS) or ""
    user_id, _, token = cookie.partition(":")
    user = user_with(email) if token else None
    return token if user is not None and str(user.pk) == user_id else ""
