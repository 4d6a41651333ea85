"""API key authentication: from a request header to the key's access."""

import logging
import time
from datetime import timedelta
from typing import Any

from django.db import DatabaseError
from django.http import HttpRequest
from django.utils import timezone
from ninja.security.base import AuthBase

from governance.core.errors import Forbidden, Unauthenticated
from governance.models import ApiKey
from governance.people.auth.access import Access, access_of_key
from governance.people.auth.limits import note_budget, spend_request
from governance.people.domain import bearer, digest_of
from governance.people.queries.keys import live_key

logger = logging.getLogger(__name__)

CACHE_SECONDS = 1.0  # until a revoked key is rejected, at most
CACHE_ENTRIES = 4_096
LAST_USED_EVERY = timedelta(minutes=1)
AGENT_HEADER = "X-Edictum-Agent-Id"
_AGENT_IN_META = f"HTTP_{AGENT_HEADER.upper().replace('-', '_')}"

_monotonic = time.monotonic
_cache: dict[bytes, tuple[float, Access]] = {}


def cached_access(authorization: str) -> Access | None:
    """Access of a key that this process resolved within the last second; no query."""
    text = bearer(authorization)
    cached = _cache.get(digest_of(text)) if text is not None else None
    return cached[1] if cached is not None and cached[0] > _monotonic() else None


def resolve_key(authorization: str, address: str = "") -> Access | None:
    """Access of the active key in this `Authorization` header, or None. The caller checks
    networks; the address is stored with the key's last use."""
    text = bearer(authorization)
    if text is None:
        return None
    digest = digest_of(text)
    cached, now = _cache.get(digest), _monotonic()
    if cached is not None and cached[0] > now:
        return cached[1]
    key = live_key(digest)
    if key is None:
        _cache.pop(digest, None)
        return None
    _note_use(key, digest, address)
    access = access_of_key(key)
    if len(_cache) >= CACHE_ENTRIES:
        _cache.clear()
    # Counted from before the lookup: the lookup and storing the last use may block.
    _cache[digest] = (now + CACHE_SECONDS, access)
    return access


def forget_keys() -> None:
    """Clear this process's cache of keys."""
    _cache.clear()


def _note_use(key: ApiKey, digest: bytes, address: str) -> None:
    now = timezone.now()
    of_value = "last_used_at" if digest == bytes(key.digest) else "previous_used_at"
    last = getattr(key, of_value)
    if last is not None and last > now - LAST_USED_EVERY:
        return
    used: dict[str, Any] = {"last_used_at": now, of_value: now}
    if address:
        used["last_used_from"] = address[:64]
    try:
        ApiKey.objects.filter(pk=key.pk).update(**used)
    except DatabaseError:  # don't reject an agent over a read-only or busy database
        logger.warning("Could not store the last use of a key", exc_info=True)


class KeyAuth(AuthBase):
    """Authenticates an API key with any of these scopes; with no scopes given, any key.

    Session store routes have no rate limit, because agents wait for them on every call.
    """

    openapi_type = "http"
    openapi_scheme = "bearer"

    def __init__(self, *any_of: str, is_limited: bool = True) -> None:
        self.any_of = any_of
        self.is_limited = is_limited
        super().__init__()

    def __call__(self, request: HttpRequest) -> Access:
        # Read from META: parsing all headers takes longer than resolving the key.
        address = request.META.get("REMOTE_ADDR", "")
        access = resolve_key(request.META.get("HTTP_AUTHORIZATION", ""), address)
        if access is None:
            raise Unauthenticated("This request needs a valid API key: Authorization: Bearer edk_…")
        if not access.admits_address(address):
            raise Forbidden(
                f"This key is not valid from {address}. An admin can change its networks.",
                code="network",
            )
        self.refuse(access)
        if self.is_limited:
            note_budget(request, "requests", spend_request(access))
        agent = request.META.get(_AGENT_IN_META, "")
        if agent and not access.admits_agent(agent):
            raise Forbidden(
                f"This key is not valid for the agent {agent}. Use one of its own keys.",
                code="agent",
            )
        return access

    def refuse(self, access: Access) -> None:
        if not access.has_any(self.any_of):
            raise Forbidden(f"This needs a key with {' or '.join(self.any_of)}.", code="scope")
