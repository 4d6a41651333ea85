"""Every write of governance: a verb, one transaction, and who did it; split by noun."""

from governance.commands.accounts import activate_account, deactivate_account
from governance.commands.approvals import (
    ask,
    current,
    decide,
    expire_approvals,
    open_arguments,
)
from governance.commands.assignments import assign, end_assignment
from governance.commands.cases import (
    add_case,
    change_case,
    keep_run,
    move_case,
    remove_case,
    replace_cases,
)
from governance.commands.contracts import save_version
from governance.commands.demo import (
    make_demo_key,
    make_demo_project,
    remove_demo_project,
    revoke_demo_keys,
)
from governance.commands.deployments import deploy, roll_back
from governance.commands.documents import complete_documents
from governance.commands.environments import environment_named
from governance.commands.findings import dismiss, end_findings
from governance.commands.keys import keep_bootstrap_key, make_key, revoke_key
from governance.commands.noticing import forget_manage_key, note_fetch, note_manage_key
from governance.commands.people import (
    accept_as,
    accept_as_new,
    change_role,
    choose_keys,
    first_admin,
    invite,
    new_set_up_link,
    remove_member,
    set_up,
    withdraw_invitation,
)
from governance.commands.projects import create_project, first_project, rename_project
from governance.commands.requests import (
    approve_request,
    ask_to_deploy,
    expire_requests,
    refuse_request,
    withdraw_request,
)
from governance.commands.requirements import require
from governance.commands.retention import (
    remove_expired_browser_sessions,
    remove_old_approvals,
    remove_old_notes,
)
from governance.commands.signing import rotate_signing_key
from governance.commands.stops import lift, stop

__all__ = [
    "accept_as",
    "accept_as_new",
    "activate_account",
    "add_case",
    "approve_request",
    "ask",
    "ask_to_deploy",
    "assign",
    "change_case",
    "change_role",
    "choose_keys",
    "complete_documents",
    "create_project",
    "current",
    "deactivate_account",
    "decide",
    "deploy",
    "dismiss",
    "end_assignment",
    "end_findings",
    "environment_named",
    "expire_approvals",
    "expire_requests",
    "first_admin",
    "first_project",
    "forget_manage_key",
    "invite",
    "keep_bootstrap_key",
    "keep_run",
    "lift",
    "make_demo_key",
    "make_demo_project",
    "make_key",
    "move_case",
    "new_set_up_link",
    "note_fetch",
    "note_manage_key",
    "open_arguments",
    "refuse_request",
    "remove_case",
    "remove_demo_project",
    "remove_expired_browser_sessions",
    "remove_member",
    "remove_old_approvals",
    "remove_old_notes",
    "rename_project",
    "replace_cases",
    "require",
    "revoke_demo_keys",
    "revoke_key",
    "roll_back",
    "rotate_signing_key",
    "save_version",
    "set_up",
    "stop",
    "withdraw_invitation",
    "withdraw_request",
]
