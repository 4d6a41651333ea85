"""Permissions: defined here, checked by pages and enforced by commands."""

from enum import StrEnum

from governance.core.actor import Actor, ActorKind
from governance.core.errors import Forbidden
from governance.core.roles import Role
from governance.models import DeploymentRequest
from governance.people.domain import Scope


class Action(StrEnum):
    READ = "read"
    DECIDE_APPROVAL = "decide approvals"
    OPEN_VALUE = "open masked values"
    RESET_SESSION = "reset sessions"
    STOP_AGENT = "stop agents"
    DISMISS_FINDING = "dismiss alerts"
    RETRY_BATCH = "retry failed batches"
    WRITE_CONTRACT = "write contracts"
    WRITE_CHECK = "write success checks"
    WRITE_BINDING = "write bindings"
    SET_TARGET = "set success targets"
    DEPLOY = "deploy"
    OVERRIDE_TESTS = "deploy despite failing tests"
    ASSIGN = "assign contracts"
    ASSIGN_ALONE = "assign contracts where a second person approves deployments"
    MANAGE_KEYS = "manage keys"
    MANAGE_MEMBERS = "manage members"
    MANAGE_SETTINGS = "manage settings"
    DELETE_SESSION = "delete sessions"
    MANAGE_RETENTION = "manage retention"
    WRITE_NOTE = "write notes"
    SAVE_VIEW = "save views"
    SHARE_VIEW = "share views"


ROLE_FOR = {
    Action.READ: Role.VIEWER,
    Action.DECIDE_APPROVAL: Role.OPERATOR,
    Action.OPEN_VALUE: Role.OPERATOR,
    Action.RESET_SESSION: Role.OPERATOR,
    Action.STOP_AGENT: Role.OPERATOR,
    Action.DISMISS_FINDING: Role.OPERATOR,
    Action.RETRY_BATCH: Role.OPERATOR,
    Action.WRITE_CONTRACT: Role.EDITOR,
    Action.WRITE_CHECK: Role.EDITOR,
    Action.WRITE_BINDING: Role.EDITOR,
    Action.SET_TARGET: Role.EDITOR,
    Action.DEPLOY: Role.EDITOR,
    Action.OVERRIDE_TESTS: Role.ADMIN,
    Action.ASSIGN: Role.EDITOR,
    Action.ASSIGN_ALONE: Role.ADMIN,
    Action.MANAGE_KEYS: Role.ADMIN,
    Action.MANAGE_MEMBERS: Role.ADMIN,
    Action.MANAGE_SETTINGS: Role.ADMIN,
    Action.DELETE_SESSION: Role.ADMIN,
    Action.MANAGE_RETENTION: Role.ADMIN,
    Action.WRITE_NOTE: Role.OPERATOR,
    Action.SAVE_VIEW: Role.VIEWER,
    Action.SHARE_VIEW: Role.OPERATOR,
}
# For these, the role in the affected environment counts if it is higher than the project role.
# All other actions affect the project as a whole.
IN_ENVIRONMENT = frozenset(
    {
        Action.DECIDE_APPROVAL,
        Action.STOP_AGENT,
        Action.DEPLOY,
        Action.OVERRIDE_TESTS,
        Action.ASSIGN,
        Action.ASSIGN_ALONE,
    }
)
NOT_FOR_KEYS = frozenset({Action.MANAGE_MEMBERS})


class RoleNeeded(Forbidden):
    """The role is too low; the message names the required one."""

    def __init__(self, action: Action, environment: str = "") -> None:
        self.role = ROLE_FOR[action]
        place = f" in {environment}" if environment else ""
        super().__init__(f"You need the {self.role.value} role{place} to {action.value}.")


def may(who: Role | Actor | None, action: Action, environment: str = "") -> bool:
    """Whether this is permitted. Without an environment, only the project role counts."""
    if isinstance(who, Actor):
        if who.kind is ActorKind.KEY and action in NOT_FOR_KEYS:
            return False
        who = who.role_in(environment) if action in IN_ENVIRONMENT else who.role
    return who is not None and who.reaches(ROLE_FOR[action])


def may_somewhere(who: Actor, action: Action) -> bool:
    """Whether the actor may do this in the project or any environment; for links to it."""
    return any(may(who, action, place) for place in ("", *dict(who.environment_roles)))


def refuse_unless_somewhere(who: Actor, action: Action) -> None:
    """Permission check for pages and routes; their commands check the affected environment."""
    if not may_somewhere(who, action):
        refuse_unless(who, action)


def refuse_unless(who: Role | Actor | None, action: Action, environment: str = "") -> None:
    if may(who, action, environment):
        return
    if isinstance(who, Actor) and who.kind is ActorKind.KEY:
        if action in NOT_FOR_KEYS:
            raise Forbidden(f"A key cannot {action.value}.")
        raise Forbidden(f"This key cannot {action.value}.", code="scope")
    knows_places = isinstance(who, Actor) and who.environment_roles and action in IN_ENVIRONMENT
    raise RoleNeeded(action, environment if knows_places else "")


def role_of_key(scopes: frozenset[str]) -> Role | None:
    """Role equivalent to a key: admin for `manage`, viewer for `read`, otherwise None."""
    if Scope.MANAGE in scopes:
        return Role.ADMIN
    return Role.VIEWER if Scope.READ in scopes else None


def scopes_of_role(role: Role) -> frozenset[str]:
    return frozenset({Scope.READ, Scope.MANAGE} if role is Role.ADMIN else {Scope.READ})


def may_make_key_with(who: Actor, scopes: frozenset[str]) -> bool:
    # Otherwise a leaked key could create another one and survive its own revocation.
    return may(who, Action.MANAGE_KEYS) and not (
        who.kind is ActorKind.KEY and Scope.MANAGE in scopes
    )


def refuse_key_with(who: Actor, scopes: frozenset[str]) -> None:
    refuse_unless(who, Action.MANAGE_KEYS)
    if not may_make_key_with(who, scopes):
        raise Forbidden("A manage key cannot create another manage key.")


def is_second_person(who: Actor, request: DeploymentRequest) -> bool:
    """Whether the actor is a person other than the requester, or a key created by one.

    A key created by the console, such as the bootstrap key, doesn't count: the requester may
    have it, too.
    """
    return who.person_id is not None and not is_requester(who, request)


def is_requester(who: Actor, request: DeploymentRequest) -> bool:
    if who.person_id is not None and request.requester_id is not None:
        return who.person_id == request.requester_id
    return str(who)[:320] == request.author
