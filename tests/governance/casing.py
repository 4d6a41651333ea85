"""Contract tests for tests: small by default."""

from typing import Any

from governance.cases.commands import add_case
from governance.contracts.commands.contracts import save_version
from governance.core.actor import CONSOLE
from governance.core.cases import Case, CaseAction, CaseCall, Decides, Stops
from governance.models import Bundle, BundleVersion, Project
from governance.models import Case as Row
from tests.governance.contracts.documents import document, pre

TEXT = document(
    pre("{args.amount: {gt: 50}}", message="too much", rule_id="too-much"),
    "{id: few, type: session, limits: {max_tool_calls: 2}, then: {action: block, message: n}}",
)
LAX = TEXT.replace("gt: 50", "gt: 500")


def saved(project: Project, text: str = TEXT) -> BundleVersion:
    return save_version(project, document=text, by=CONSOLE)[0]


def a_case(
    name: str = "75 is denied", action: CaseAction = "block", *, rule: str = "", **args: Any
) -> Case:
    call = CaseCall(tool="refund", args=args or {"amount": 75})
    return Case(name, Decides(call=call, action=action, rule=rule))


def a_session(name: str = "third", times: int = 3, stopped_at: int | None = 3) -> Case:
    return Case(name, Stops(calls=(CaseCall(tool="t", times=times),), stopped_at=stopped_at))


def added(bundle: Bundle, *cases: Case) -> list[Row]:
    return [add_case(bundle, case, by=CONSOLE) for case in cases]
