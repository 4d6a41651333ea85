"""Browsers, their sessions, and what roles may do, in words."""

from typing import Final

from governance.core.roles import Role
from governance.people.policies import IN_ENVIRONMENT, ROLE_FOR, Action

# In this order: later ones name earlier ones, too.
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
    """Firefox on Linux"""
    browser = next((words for mark, words in _BROWSERS if mark in agent), "")
    system = next((words for mark, words in _SYSTEMS if mark in agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or agent[:40] or "Unknown browser"


def ended_words(number: int) -> str:
    """1 session ended."""
    return f"{number} session{'' if number == 1 else 's'} ended."


# Page of roles: in words, and why it needs at least this role.
ACTIONS: Final[dict[Action, tuple[str, str]]] = {
    Action.READ: ("Read everything", "Masked values stay masked."),
    Action.SAVE_VIEW: ("Save own views", "They are listed for their author alone."),
    Action.DECIDE_APPROVAL: ("Decide approvals", "An agent waits for it, often at night."),
    Action.OPEN_VALUE: ("Open masked values", "Each opening is in the audit log."),
    Action.RESET_SESSION: ("Reset sessions", "Limits of the session start from zero."),
    Action.STOP_AGENT: ("Stop agents", "In an emergency, before the cause is known."),
    Action.DISMISS_FINDING: ("Dismiss alerts", "Others no longer see them."),
    Action.RETRY_BATCH: ("Retry failed batches", "Nothing is lost by it."),
    Action.WRITE_NOTE: ("Write notes", "Everyone in the project reads them."),
    Action.SHARE_VIEW: ("Share views", "They appear for everyone in the project."),
    Action.WRITE_CONTRACT: ("Write contracts", "They decide what agents may do."),
    Action.WRITE_CHECK: ("Write success checks", "They decide what counts as success."),
    Action.WRITE_BINDING: ("Bind success checks", "Verdicts of new calls change at once."),
    Action.SET_TARGET: ("Set success targets", "Rates below them are red for everyone."),
    Action.DEPLOY: ("Deploy and roll back", "Agents follow within seconds."),
    Action.ASSIGN: ("Assign contracts", "An agent gets another contract than others."),
    Action.OVERRIDE_TESTS: (
        "Deploy although tests fail",
        "The tests say it breaks something.",
    ),
    Action.ASSIGN_ALONE: (
        "Assign alone where deployments need a second person",
        "It would go around the second person.",
    ),
    Action.MANAGE_KEYS: ("Manage API keys", "A key acts without a person."),
    Action.MANAGE_MEMBERS: ("Manage members", "They decide who may do all of this. Not for keys."),
    Action.MANAGE_SETTINGS: ("Manage settings", "Requirements and signing keys among them."),
    Action.DELETE_SESSION: ("Delete sessions", "Recorded calls are gone for good."),
    Action.MANAGE_RETENTION: ("Manage retention", "Recorded calls are gone for good."),
}


def rows_of_roles() -> list[tuple[Role, list[tuple[str, str, bool]]]]:
    """Each role with the actions that it is the least for, the weakest role first; with why, and
    whether a role in an environment counts."""
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
