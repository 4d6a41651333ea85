"""Every read that others may ask of governance, split by noun."""

from governance.queries.audit import audit_entries, audit_length
from governance.queries.checks import check_for
from governance.queries.contracts import (
    bundle_named,
    deployments_before,
    live_deployment,
    live_deployments,
    newest_version,
    newest_versions,
    read_contract,
    version_numbered,
    versions_before,
)
from governance.queries.governing import Governing
from governance.queries.keys import (
    ended_keys,
    has_keys,
    key_numbered,
    keys_before,
    live_key,
    live_keys,
)
from governance.queries.people import (
    admins_beside,
    anybody,
    invitation_numbered,
    invitation_of,
    is_admin_somewhere,
    member_numbered,
    members,
    memberships,
    open_invitations,
    somebody_can_get_in,
    user_with,
)
from governance.queries.projects import environments, project_numbered, project_with

__all__ = [
    "Governing",
    "admins_beside",
    "anybody",
    "audit_entries",
    "audit_length",
    "bundle_named",
    "check_for",
    "deployments_before",
    "ended_keys",
    "environments",
    "has_keys",
    "invitation_numbered",
    "invitation_of",
    "is_admin_somewhere",
    "key_numbered",
    "keys_before",
    "live_deployment",
    "live_deployments",
    "live_key",
    "live_keys",
    "member_numbered",
    "members",
    "memberships",
    "newest_version",
    "newest_versions",
    "open_invitations",
    "project_numbered",
    "project_with",
    "read_contract",
    "somebody_can_get_in",
    "user_with",
    "version_numbered",
    "versions_before",
]
