"""Tools for keys with `manage`: backtests, saving versions, and requests to deploy.

No tool deploys, binds a check or decides a request.
"""

from edictum_site.mcp.caller import Caller, Refused
from edictum_site.mcp.contracts import SUBJECT, exists
from edictum_site.mcp.schemas import FLAG, NAME, TEXT, VERSION, WINDOW, YAML, fields
from edictum_site.mcp.tool import Answer, Arguments, Tool
from governance.core.errors import Conflict


def backtest_contract(caller: Caller, given: Arguments) -> Answer:
    started = caller.post("contracts", "backtests", **given)
    return Answer(started, caller.page("outcomes:backtest", started["id"]))


def backtest_check(caller: Caller, given: Arguments) -> Answer:
    started = caller.post("success-checks", "backtests", **given)
    return Answer(started, caller.page("outcomes:check_backtest", started["id"]))


def save_contract(caller: Caller, given: Arguments) -> Answer:
    saved = caller.post("contracts", **given)
    return Answer(saved, caller.page("governance:contract", saved["name"]))


def save_check(caller: Caller, given: Arguments) -> Answer:
    """Save a check. Refused for bound checks, as changing verdicts is a person's decision."""
    name = given["name"]
    known = exists(caller, "success-checks", name)
    page = caller.page("governance:check", name)
    if known is not None and known["bindings"]:
        raise Conflict(
            f"{name} is bound, so a new version would change verdicts at once. Save it under"
            f" another name, or have a person save it at {page}"
        )
    body = {"yaml": given["yaml"], "message": given.get("message", "")}
    return Answer(caller.put("success-checks", name, **body), page)


def request_deployment(caller: Caller, given: Arguments) -> Answer:
    name = given["name"]
    body = {each: given.get(each) for each in ("version", "env", "message")}
    try:
        row = caller.post("contracts", name, "deployment-requests", **body)
    except Refused as refused:
        if refused.code != "not_required":
            raise
        page = caller.page("governance:deploy", name)
        raise Conflict(
            f"{given['env']} needs no approval, so there is nothing to request. Only a person"
            f" deploys: {page}"
        ) from refused
    return Answer(row, caller.page("governance:request", row["id"]))


TOOLS = (
    Tool(
        "backtest_contract", "Backtest a contract",
        "Decide recorded calls again, by a text (`yaml`) or a saved version (`name`). Returns an id"
        " for get_contract_backtest.",
        fields({**SUBJECT, **WINDOW, "contract_only": FLAG}), backtest_contract,
        needs_manage=True, writes=True,
    ),
    Tool(
        "backtest_success_check", "Backtest a check",
        "Verdicts of a check's YAML on recorded calls. Returns an id for get_check_backtest.",
        fields({"yaml": YAML, **WINDOW, "scope": {"enum": ["bound", "all"]}}, "yaml"),
        backtest_check, needs_manage=True, writes=True,
    ),
    Tool(
        "save_contract_version", "Save a contract",
        "Save a contract's YAML as a new version. It is not deployed: agents keep theirs.",
        fields({"yaml": YAML, "message": TEXT}, "yaml"), save_contract,
        needs_manage=True, writes=True,
    ),
    Tool(
        "save_success_check", "Save a check",
        "Save a check's YAML as a new version, unless the check is bound to calls.",
        fields({"name": NAME, "yaml": YAML, "message": TEXT}, "name", "yaml"), save_check,
        needs_manage=True, writes=True,
    ),
    Tool(
        "request_deployment", "Request a deployment",
        "Request that a person deploys a version to an environment that requires a second person."
        " Returns the page where it is decided.",
        fields(
            {"name": NAME, "version": {**VERSION, "description": ""}, "env": NAME, "message": TEXT},
            "name", "version", "env",
        ),
        request_deployment, needs_manage=True, writes=True,
    ),
)  # fmt: skip
