"""Every write of governance: a verb, one transaction, and who did it; split by noun."""

from governance.commands.approvals import (
    ask,
    current,
    decide,
    expire_approvals,
    open_arguments,
)
from governance.commands.contracts import deploy, save_version
from governance.commands.environments import environment_named
from governance.commands.keys import keep_bootstrap_key, make_key, revoke_key
from governance.commands.people import (
    accept_as,
    accept_as_new,
    change_role,
    first_admin,
    invite,
    new_set_up_link,
    remove_member,
    set_up,
    withdraw_invitation,
)
from governance.commands.projects import create_project, first_project, rename_project

__all__ = [
    "accept_as",
    "accept_as_new",
    "ask",
    "change_role",
    "create_project",
    "current",
    "decide",
    "deploy",
    "environment_named",
    "expire_approvals",
    "first_admin",
    "first_project",
    "invite",
    "keep_bootstrap_key",
    "make_key",
    "new_set_up_link",
    "open_arguments",
    "remove_member",
    "rename_project",
    "revoke_key",
    "save_version",
    "set_up",
    "withdraw_invitation",
]
