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
from governance.queries.documents import (
    ServedDocument,
    assignable_bundles,
    assigned_bundle,
    served_document,
)
from governance.queries.findings import (
    number_of_open_findings,
    open_findings,
    resolved_findings,
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
from governance.queries.stops import is_stopped, standing_stops, stop_numbered, stop_of

__all__ = [
    "Governing",
    "ServedDocument",
    "admins_beside",
    "anybody",
    "assignable_bundles",
    "assigned_bundle",
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
    "is_stopped",
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
    "number_of_open_findings",
    "open_findings",
    "open_invitations",
    "project_numbered",
    "project_with",
    "read_contract",
    "resolved_findings",
    "served_document",
    "somebody_can_get_in",
    "standing_stops",
    "stop_numbered",
    "stop_of",
    "user_with",
    "version_numbered",
    "versions_before",
]
