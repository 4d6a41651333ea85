"""Every read that others may ask of governance, split by noun."""

from governance.queries.approvals import (
    ApprovalFilter,
    Ended,
    approval_coded,
    approvals_before,
    due_approvals,
    ended_approvals,
    ended_since,
    waiting_approvals,
)
from governance.queries.assignments import (
    assignment_numbered,
    assignment_of,
    assignments_before,
)
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
    unrendered_versions,
    unsigned_bytes,
)
from governance.queries.fetches import fetches_told_unread, repeated_fetches
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
from governance.queries.navigation import Navigation, navigation
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
from governance.queries.projects import (
    environment_with,
    environments,
    project_numbered,
    project_with,
    projects,
)
from governance.queries.signing import retired_signing_keys, signing_key_in_use
from governance.queries.stops import is_stopped, standing_stops, stop_numbered, stop_of

__all__ = [
    "ApprovalFilter",
    "Ended",
    "Governing",
    "Navigation",
    "ServedDocument",
    "admins_beside",
    "anybody",
    "approval_coded",
    "approvals_before",
    "assignable_bundles",
    "assigned_bundle",
    "assignment_numbered",
    "assignment_of",
    "assignments_before",
    "audit_entries",
    "audit_length",
    "bundle_named",
    "check_for",
    "deployments_before",
    "due_approvals",
    "ended_approvals",
    "ended_keys",
    "ended_since",
    "environment_with",
    "environments",
    "fetches_told_unread",
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
    "navigation",
    "newest_version",
    "newest_versions",
    "number_of_open_findings",
    "open_findings",
    "open_invitations",
    "project_numbered",
    "project_with",
    "projects",
    "read_contract",
    "repeated_fetches",
    "resolved_findings",
    "retired_signing_keys",
    "served_document",
    "signing_key_in_use",
    "somebody_can_get_in",
    "standing_stops",
    "stop_numbered",
    "stop_of",
    "unrendered_versions",
    "unsigned_bytes",
    "user_with",
    "version_numbered",
    "versions_before",
    "waiting_approvals",
]
