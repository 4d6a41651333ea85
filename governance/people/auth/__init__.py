"""From a request to who asks and what they may: an API key's scopes, or a member's role."""

from governance.people.auth.access import Access, AccessRequest, access_of_member
from governance.people.auth.address import console_address
from governance.people.auth.frame import beside
from governance.people.auth.keys import AGENT_HEADER, KeyAuth, forget_keys, kept_access, resolve_key
from governance.people.auth.members import LAST_PROJECT, KeyOrMember, MemberRequest, member_page

__all__ = [
    "AGENT_HEADER",
    "LAST_PROJECT",
    "Access",
    "AccessRequest",
    "KeyAuth",
    "KeyOrMember",
    "MemberRequest",
    "access_of_member",
    "beside",
    "console_address",
    "forget_keys",
    "kept_access",
    "member_page",
    "resolve_key",
]
