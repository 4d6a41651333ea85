"""No call, no endless expression and no selector costs the console more than an error message or
reveals anything about the server, on any route."""

import json

import pytest
from django.urls import reverse

from governance.cases.commands import replace_cases
from governance.core.actor import CONSOLE
from governance.models import BundleVersion, Case, Deployment
from tests.governance.casing import a_case
from tests.governance.contracts.documents import ALWAYS, EVIL, EVIL_TEXT, document, pre
from tests.governance.hostile import FINE, Answer, House, a_house, read

JSON = "application/json"
ARGUMENTS = {
    "a NUL": '{"x": "a\\u0000b"}',
    "half of a character": '{"x": "\\ud800"}',
    "20,000 brackets": "[" * 20_000,
    "objects 5,000 deep": '{"x":' * 5_000 + "1" + "}" * 5_000,
    "a key twice": '{"x": 1, "x": 2}',
    "no number": '{"x": NaN}',
    "a number without end": '{"x": Infinity}',
    "an integer of 5,000 digits": '{"x": ' + "9" * 5_000 + "}",
    "a byte order mark": '\ufeff{"x": 1}',
    "tabs": '\t{"x":\t1}',
    "no object": "[1]",
    "two megabytes": json.dumps({"x": "y" * 2_000_000}),
    "100,000 keys": json.dumps({f"k{number}": number for number in range(100_000)}),
    "nothing": "",
}


@pytest.fixture
def house(project, tmp_path) -> House:
    return a_house(project, tmp_path)


def form(house: House, name: str, args: str) -> Answer:
    fields = {"tool": "t", "args": args, "environment": "production", "name": "n"}
    return house.page(name, "d", **fields, action="block", rule="", became="block")


def body(house: House, path: str, around: str, args: str) -> Answer:
    text = around.replace('"ARGS"', args).encode(errors="surrogatepass")
    return read(house.manager.post(f"/v1/{path}", text, content_type=JSON))


EVALUATION = json.dumps({"yaml": FINE, "tool_name": "t", "tool_args": "ARGS"})
CASE = json.dumps(
    {"name": "n", "call": {"tool": "t", "args": "ARGS"}, "expects": {"action": "allow"}}
)
DOORS = {
    "playground": lambda h, args: form(h, "governance:playground_result", args),
    "a test by hand": lambda h, args: form(h, "governance:new_case", args),
    "a test of a recorded call": lambda h, args: form(h, "governance:keep_call", args),
    "API, evaluated": lambda h, args: body(h, "contracts/evaluate", EVALUATION, args),
    "API, explained": lambda h, args: body(h, "contracts/explain", EVALUATION, args),
    "API, a test": lambda h, args: body(h, "contracts/d/cases", CASE, args),
}


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_hostile_arguments_get_a_response_and_later_calls_still_work(house, door):
    for name, args in ARGUMENTS.items():
        status, result = DOORS[door](house, args)
        assert status < 500, name
        assert len(result) > 20, name
        Case.objects.exclude(name="75 is denied").delete()
        verdict = body(house, "contracts/evaluate", EVALUATION, '{"amount": 75}')
        assert '"decision": "block"' in verdict[1], name


def evaluated(house: House, text: str, address: str = "evaluate") -> Answer:
    return house.api(f"contracts/{address}", yaml=text, tool_name="t", tool_args={"x": EVIL_TEXT})


def tried(house: House, text: str) -> Answer:
    house.page("governance:keep_draft", "d", text=text, base=1, seen="")
    args = json.dumps({"x": EVIL_TEXT})
    call = {"tool": "t", "args": args, "environment": "production", "version": "draft"}
    return house.page("governance:playground_result", "d", **call)


def listed(house: House, text: str) -> Answer:
    house.page("governance:keep_draft", "d", text=text, base=1, seen="")
    address = reverse("governance:cases", args=[house.project.slug, "d"])
    return read(house.editor.get(f"{address}?version=draft"))


def deployed(house: House, text: str) -> Answer:
    house.api("contracts", yaml=text)
    return house.api("contracts/d/deployments", version=2, env="production")


def planned(house: House, text: str) -> Answer:
    house.api("contracts", yaml=text)
    address = reverse("governance:deploy", args=[house.project.slug, "d"])
    return read(house.editor.get(f"{address}?version=2&environment=production"))


def typed(house: House, text: str) -> Answer:
    return house.page("outcomes:check_contract", text=text, bundle="d")


RUNNING = {
    "API, evaluated": evaluated,
    "API, explained": lambda h, text: evaluated(h, text, "explain"),
    "API, its tests": lambda h, text: h.api("contracts/d/cases/run", yaml=text),
    "playground": tried,
    "tests": listed,
    "deployed": deployed,
    "the page that deploys": planned,
}


@pytest.mark.one_database
@pytest.mark.slow
@pytest.mark.parametrize("door", RUNNING)
def test_an_endless_expression_is_stopped_and_reported(house, door):
    replace_cases(house.bundle, [a_case("hopeless", x=EVIL_TEXT)], by=CONSOLE)
    status, result = RUNNING[door](house, EVIL)
    assert status < 500
    assert "Evaluation stopped" in result
    assert not Deployment.objects.exists()
    assert (
        '"decision": "block"' in body(house, "contracts/evaluate", EVALUATION, '{"amount": 75}')[1]
    )


SECRET = "hunter2-of-the-server"
NAMES = ("SECRET", "PATH", "HOME", "DATABASE_URL", "EDICTUM_SITE_DATA")
LEAKS = document(
    pre(
        "{any: [" + ", ".join(f"{{env.{name}: {{exists: true}}}}" for name in NAMES) + "]}",
        rule_id="sees",
    ),
    pre(f"{{env.SECRET: {{starts_with: {SECRET[:7]}}}}}", rule_id="guesses"),
    pre(ALWAYS, rule_id="says", message=", ".join(f"{{env.{name}}}" for name in NAMES)),
)
SHOWN = "{env.SECRET}, {env.PATH}"


@pytest.mark.parametrize("door", [*RUNNING, "as it is typed"])
def test_server_environment_variables_neither_leak_nor_affect_decisions(house, door, monkeypatch):
    for name in NAMES:
        monkeypatch.setenv(name, SECRET)
    # `says` decides; if another rule matched, this test would fail and name it.
    replace_cases(house.bundle, [a_case("says", rule="says")], by=CONSOLE)
    status, result = (RUNNING | {"as it is typed": typed})[door](house, LEAKS)
    assert status < 500
    assert SECRET not in result
    if door in ("playground", "API, evaluated", "API, explained"):
        assert SHOWN in result
    if door == "tests":
        assert "1 test passes" in result
    if door == "API, its tests":
        assert '"passed": true, "failing": 0' in result
    if door == "deployed":
        assert (status, Deployment.objects.count()) == (201, 1)
    assert SECRET.encode() not in bytes(BundleVersion.objects.latest("pk").document)


def test_the_trace_reports_server_environment_variables_as_missing(house, monkeypatch):
    monkeypatch.setenv("SECRET", SECRET)
    answer = json.loads(evaluated(house, LEAKS, "explain")[1])
    sees, guesses, says = answer["rules"]
    assert (sees["passed"], guesses["passed"], says["passed"]) == (True, True, False)
    assert all(saw["missing"] and not saw["value"] for saw in sees["saw"] + guesses["saw"])
