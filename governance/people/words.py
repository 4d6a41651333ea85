"""Texts about browsers, their sessions, and the permissions of roles."""

from typing import Final

from governance.core.roles import Role
from governance.people.policies import IN_ENVIRONMENT, ROLE_FOR, Action

# The first match counts: Edge, for example, also calls itself Chrome and Safari.
_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("Mac OS", "macOS"),
    ("Linux", "Linux"),
)


def browser_words(agent: str) -> str:
    """Browser and system of a user agent, such as Firefox on Linux."""
    browser = next((words for mark, words in _BROWSERS if mark in agent), "")
    system = next((words for mark, words in _SYSTEMS if mark in agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or agent[:40] or "Unknown browser"


def ended_words(number: int) -> str:
    """Message for ended sessions, such as 1 session ended."""
    return f"{number} session{'' if number == 1 else 's'} ended."


# For the roles page: text of each action, and why it needs at least this role.
ACTIONS: Final[dict[Action, tuple[str, str]]] = {
    Action.READ: ("Read everything", "Masked values stay masked."),
    Action.SAVE_VIEW: ("Save own views", "Only their author sees them."),
    Action.DECIDE_APPROVAL: ("Decide approvals", "Agents wait for a decision, also at night."),
    Action.OPEN_VALUE: ("Open masked values", "Every access is in the audit log."),
    Action.RESET_SESSION: ("Reset sessions", "Its limits start again from zero."),
    Action.STOP_AGENT: ("Stop agents", "In an emergency, before the cause is known."),
    Action.DISMISS_FINDING: ("Dismiss alerts", "They disappear for everyone."),
    Action.RETRY_BATCH: ("Retry failed batches", "A retry loses no data."),
    Action.WRITE_NOTE: ("Write notes", "Everyone in the project sees them."),
    Action.SHARE_VIEW: ("Share views", "Everyone in the project can use them."),
    Action.WRITE_CONTRACT: ("Write contracts", "They decide what agents may do."),
    Action.WRITE_CHECK: ("Write success checks", "They decide what counts as success."),
    Action.WRITE_BINDING: ("Bind success checks", "New calls are checked differently at once."),
    Action.SET_TARGET: ("Set success targets", "Rates below target turn red for everyone."),
    Action.DEPLOY: ("Deploy and roll back", "Agents update within seconds."),
    Action.ASSIGN: ("Assign contracts", "Changes which contract an agent gets."),
    Action.OVERRIDE_TESTS: (
        "Deploy although tests fail",
        "Tests guard against breaking changes.",
    ),
    Action.ASSIGN_ALONE: (
        "Assign alone where deployments need a second person",
        "It skips the second approval.",
    ),
    Action.MANAGE_KEYS: ("Manage API keys", "Keys act without a person."),
    Action.MANAGE_MEMBERS: ("Manage members", "Controls all other access. Not for keys."),
    Action.MANAGE_SETTINGS: ("Manage settings", "Such as requirements and signing keys."),
    Action.DELETE_SESSION: ("Delete sessions", "Deletes recorded calls permanently."),
    Action.MANAGE_RETENTION: ("Manage retention", "Deletes recorded calls permanently."),
}


def rows_of_roles() -> list[tuple[Role, list[tuple[str, str, bool]]]]:
    """Roles, lowest first, each with the actions that need at least that role.

    Each action has its text, the reason, and whether a role in an environment counts.
    """
    return [
        (
            role,
            [
                (*words, action in IN_ENVIRONMENT)
                for action, words in ACTIONS.items()
                if ROLE_FOR[action] is role
            ],
        )
        for role in Role
    ]
