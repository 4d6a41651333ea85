"""Card with code that loads a contract."""

from collections.abc import Sequence
from typing import Any

from governance.clients.views import wheel_address
from governance.contracts.domain.snippets import contract_snippets
from governance.people.auth import MemberRequest, console_address
from governance.people.policies import Action, may

DEFAULT_ENVIRONMENT = "production"


def use_context(
    request: MemberRequest, contract: str, deployed: Sequence[str], environment: str = ""
) -> dict[str, Any]:
    """Without `environment`, the URL selects one of those in which the contract is deployed."""
    chosen = request.GET.get("use", "")
    first = next(iter(deployed), DEFAULT_ENVIRONMENT)
    if not environment:
        environment = chosen if chosen in deployed else first
    return {
        "use": {
            "environment": environment,
            "environments": deployed,
            "is_deployed": environment in deployed,
            "snippets": contract_snippets(
                contract,
                url=console_address(request),
                env=environment,
                client=wheel_address(request),
            ),
            "may_create_key": may(request.role, Action.MANAGE_KEYS),
        }
    }
