"""Tools that read contracts and checks, and evaluate without saving."""

from typing import Any

from edictum_site.mcp.caller import Caller, Refused
from edictum_site.mcp.schemas import (
    CURSOR,
    ID,
    LIMIT,
    NAME,
    OBJECT,
    TEXT,
    VERSION,
    YAML,
    fields,
)
from edictum_site.mcp.tool import Answer, Arguments, Tool

LINES = 300  # of YAML


def list_contracts(caller: Caller, given: Arguments) -> Answer:
    return Answer(caller.get("contracts", **given), caller.page("governance:contracts"))


def get_contract(caller: Caller, given: Arguments) -> Answer:
    name, number = given["name"], given.get("version")
    known = caller.get("contracts", name, limit=10)
    if number is not None:
        known |= caller.get("contracts", name, "versions", str(number))
    known |= lines_of(known.pop("yaml"), given.get("first_line", 1))
    return Answer(known, caller.page("governance:contract", name))


def lines_of(text: str, first: int) -> dict[str, Any]:
    lines = text.split("\n")
    shown = lines[first - 1 : first - 1 + LINES]
    return {"lines_in_all": len(lines), "first_line": first, "yaml": "\n".join(shown)}


def compare_contract(caller: Caller, given: Arguments) -> Answer:
    name, query = given["name"], {"from": given.get("from"), "to": given.get("to")}
    if "yaml" in given:
        body = {"yaml": given["yaml"], "from": given.get("from")}
        result = caller.post("contracts", name, "compare", **body)
    else:
        result = caller.get("contracts", name, "compare", **query)
    return Answer(result, caller.page("governance:contract", name))


def list_tests(caller: Caller, given: Arguments) -> Answer:
    name = given["name"]
    return Answer(caller.get("contracts", name, "cases"), caller.page("governance:cases", name))


def run_tests(caller: Caller, given: Arguments) -> Answer:
    name = given["name"]
    body = {each: given.get(each) for each in ("yaml", "version", "cases")}
    result = caller.post("contracts", name, "cases", "run", **body)
    return Answer(result, caller.page("governance:cases", name))


def explain_call(caller: Caller, given: Arguments) -> Answer:
    result = caller.post("contracts", "explain", **given)
    page = caller.page("governance:playground")
    if "name" in given:
        page = caller.page("governance:playground_of", given["name"])
    return Answer(result, page)


def validate_contract(caller: Caller, given: Arguments) -> Answer:
    result = caller.post("contracts", "validate", **given)
    return Answer(result, caller.page("governance:contracts"))


def get_deployment_plan(caller: Caller, given: Arguments) -> Answer:
    name = given["name"]
    query = {"version": given.get("version"), "env": given["env"]}
    result = caller.get("contracts", name, "deployment-plan", **query)
    return Answer(result, caller.page("governance:deploy", name))


def list_checks(caller: Caller, given: Arguments) -> Answer:
    return Answer(caller.get("success-checks", **given), caller.page("governance:checks"))


def get_check(caller: Caller, given: Arguments) -> Answer:
    name = given["name"]
    known = caller.get("success-checks", name, limit=10)
    known |= lines_of(known.pop("yaml"), given.get("first_line", 1))
    return Answer(known, caller.page("governance:check", name))


def try_check(caller: Caller, given: Arguments) -> Answer:
    result = caller.post("success-checks", "try", **given)
    return Answer(result, caller.page("governance:checks"))


def get_backtest(caller: Caller, given: Arguments) -> Answer:
    number = given["id"]
    result = caller.get("contracts", "backtests", str(number))
    calls = given.get("calls")
    if calls:
        listed = caller.get("contracts", "backtests", str(number), "calls", change=calls, limit=20)
        result = {"changed_calls": listed["calls"]} | result
    return Answer(result, caller.page("outcomes:backtest", number))


def get_check_backtest(caller: Caller, given: Arguments) -> Answer:
    result = caller.get("success-checks", "backtests", str(given["id"]))
    return Answer(result, caller.page("outcomes:check_backtest", given["id"]))


def exists(caller: Caller, *path: str) -> Any:
    """API response at this path, or None if it is 404."""
    try:
        return caller.get(*path)
    except Refused as refused:
        if refused.status == 404:
            return None
        raise


FIRST_LINE = {"type": "integer", "minimum": 1, "description": "300 lines are returned"}
CALL = {
    "tool_name": TEXT,
    "tool_args": OBJECT,
    "principal": OBJECT,
    "environment": TEXT,
    "output": {"description": "For rules about outputs"},
}
SUBJECT = {"yaml": YAML, "name": NAME, "version": VERSION}
CHANGES = {
    "enum": ["newly_denied", "newly_allowed", "newly_asking", "changed", "undetermined", "drift"],
    "description": "Also list 20 recorded calls with this change",
}
NAMED_PAGE = {"limit": LIMIT, "cursor": CURSOR}

TOOLS = (
    Tool(
        "list_contracts", "Contracts",
        "Contracts (policy for tool calls) with their newest version, and the version deployed to"
        " each environment.",
        fields(NAMED_PAGE), list_contracts,
    ),
    Tool(
        "get_contract", "One contract",
        "YAML of a contract's newest or given version, with its deployments and last versions.",
        fields({"name": NAME, "version": VERSION, "first_line": FIRST_LINE}, "name"), get_contract,
    ),
    Tool(
        "compare_contract", "Changes of a contract",
        "Changes by meaning between two versions, or from a version to a text.",
        fields({"name": NAME, "from": VERSION, "to": VERSION, "yaml": YAML}, "name"),
        compare_contract,
    ),
    Tool(
        "list_contract_tests", "Tests of a contract",
        "Tests that belong to a contract.",
        fields({"name": NAME}, "name"), list_tests,
    ),
    Tool(
        "run_contract_tests", "Run tests",
        "Run a contract's tests, or the `cases` given, on a version or a text. Nothing is saved.",
        fields(
            {**SUBJECT, "cases": {"type": "array", "items": OBJECT, "maxItems": 200}}, "name"
        ),
        run_tests,
    ),
    Tool(
        "explain_call", "Playground",
        "Evaluate one call against a saved contract (`name`) or a text (`yaml`): the decision, and"
        " what each rule read. No tool runs.",
        fields({**SUBJECT, **CALL}, "tool_name"), explain_call,
    ),
    Tool(
        "validate_contract", "Validate a contract",
        "Errors and warnings of a contract's YAML, with lines. Nothing is saved.",
        fields({"yaml": YAML}, "yaml"), validate_contract,
    ),
    Tool(
        "get_deployment_plan", "Deployment plan",
        "What deploying a version to an environment would change, what the environment requires,"
        " and what blocks it.",
        fields({"name": NAME, "version": VERSION, "env": NAME}, "name", "env"),
        get_deployment_plan,
    ),
    Tool(
        "list_success_checks", "Success checks",
        "Success checks of the project and built-in ones, and where they are bound.",
        fields(NAMED_PAGE), list_checks,
    ),
    Tool(
        "get_success_check", "One success check",
        "YAML of a success check, with its bindings and last versions.",
        fields({"name": NAME, "first_line": FIRST_LINE}, "name"), get_check,
    ),
    Tool(
        "try_success_check", "Try a success check",
        "Verdict of a check's YAML on an output (`result`), or on up to 200 recorded calls"
        " (`call_ids`), and its failing examples. Nothing is saved.",
        fields(
            {
                "yaml": YAML, "tool_name": TEXT, "result": {}, "elapsed_ms": {"type": "number"},
                "call_ids": {"type": "array", "items": TEXT, "maxItems": 200}, "env": TEXT,
            },
            "yaml",
        ),
        try_check,
    ),
    Tool(
        "get_contract_backtest", "Backtest of a contract",
        "Progress and result of a backtest: decisions that would change, by rule, tool and agent.",
        fields({"id": ID, "calls": CHANGES}, "id"), get_backtest,
    ),
    Tool(
        "get_check_backtest", "Backtest of a check",
        "Progress and result of a check's backtest: verdicts that would change, by tool and rule.",
        fields({"id": ID}, "id"), get_check_backtest,
    ),
)  # fmt: skip
