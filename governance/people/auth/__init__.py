"""Authentication of requests and their access rights: a key's scopes or a member's role."""

from governance.people.auth.access import Access, AccessRequest, access_of_member, console_address
from governance.people.auth.frame import navigation_of
from governance.people.auth.keys import (
    AGENT_HEADER,
    KeyAuth,
    cached_access,
    forget_keys,
    resolve_key,
)
from governance.people.auth.limits import add_limit_headers, spend_items
from governance.people.auth.members import (
    LAST_PROJECT,
    KeyOrMember,
    MemberRequest,
    is_still_admitted,
    member_page,
    signed_in_page,
    with_a_project,
)

__all__ = [
    "AGENT_HEADER",
    "LAST_PROJECT",
    "Access",
    "AccessRequest",
    "KeyAuth",
    "KeyOrMember",
    "MemberRequest",
    "access_of_member",
    "add_limit_headers",
    "cached_access",
    "console_address",
    "forget_keys",
    "is_still_admitted",
    "member_page",
    "navigation_of",
    "resolve_key",
    "signed_in_page",
    "spend_items",
    "with_a_project",
]
