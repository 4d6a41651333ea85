"""No check, result, name or binding costs the console more than an error message."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse

from governance.core.roles import Role
from governance.models import CheckVersion, Project
from outcomes.models import Batch, Call, Rejudging
from outcomes.reclassification.commands.jobs import start_reclassification
from outcomes.recorded_calls.selection import CallCriteria
from tests import builders
from tests.builders import an_outcome
from tests.governance.naming import FAILS, a_check, bound, check_text
from tests.outcomes.backtests import EDITOR
from tests.outcomes.posting import Agent, settle
from tests.outcomes.waiting_jobs import run_waiting_parts
from tests.recount import differences

JSON = "application/json"
FINE = check_text(FAILS)


def rules(*whens: str) -> str:
    return check_text(
        *(f"{{id: r{at}, when: {when}, verdict: failure}}" for at, when in enumerate(whens))
    )


def patterns(number: int, pattern: str) -> str:
    written = [pattern.replace("#", str(at)) for at in range(number)]
    return rules(*(f"{{result: {{matches: '{each}'}}}}" for each in written))


TEXTS = {
    "100 KB of words": (FINE + "# " + "x" * 100_000 + "\nx: 1\n", "x"),
    "10,000 rules": (rules(*["{result: {empty: true}}"] * 10_000), "at most"),
    "3,000 rules": (rules(*["{result: {empty: true}}"] * 3_000), "at most 500"),
    "500 deep": (FINE + "x: " + "[" * 500 + "]" * 500, "50 levels"),
    "not of not": (rules("{not: " * 500 + "{result: {empty: true}}" + "}" * 500), "50 levels"),
    "an evil pattern": (patterns(1, "(a|b)*a(a|b){20}"), "states"),
    "400 evil patterns": (patterns(400, "(a|b)*a(a|b){2#}"), "states"),
    "patterns too large together": (patterns(30, "(a|b)*a(a|b){10}#"), "too large"),
    "repeated repetitions": (patterns(1, "((a{0,100}){0,100}){0,100}"), "1,000"),
    "anchors": (FINE + "a: &a [1]\nb: [*a, *a]\n", "Anchors"),
    "a byte order mark": ("\ufeff" + FINE, "byte order mark"),
    "tabs": (FINE + "\t- a\n", "tabs"),
    "a NUL": (FINE + "x: \0\n", "NUL"),
    "half of a character": (FINE + "# \ud800\n", "half of a character|not UTF-8|surrogate"),
    "a key twice": (FINE + "kind: SuccessCheck\n", "twice"),
    "a tag": (FINE + "x: !!python/object:os.system a\n", "Tags"),
    "two documents": (FINE + "---\na: 1\n", "one document"),
    "nothing": ("", "empty"),
    "only brackets": ("{" * 100_000, ""),
    "a megabyte": ("# " + "x" * 1_000_000, ""),
    "names of others": (FINE.replace("name: mine", "name: ../mine"), "name"),
    "a name of ours": (FINE.replace("name: mine", "name: http"), "built-in|is named"),
}
MANY_LEVELS = "[" * 1_000 + "]" * 1_000
RESULTS = {
    "1,000 levels": MANY_LEVELS,
    "20,000 brackets": "[" * 20_000,
    "a million backslashes as JSON": json.dumps('{"ok": "' + "\\" * 1_000_000),
    "1,000 levels as JSON": json.dumps(MANY_LEVELS),
    "half of a character": r'{"ok": "\ud800"}',
    "a NUL": r'{"ok": "a\u0000b"}',
    "a large number": '{"ok": ' + "9" * 400 + "}",
    "5,000 digits": '{"ok": ' + "9" * 5_000 + "}",
    "1e400": '{"ok": 1e400}',
    "no number": '{"ok": NaN}',
    "odd keys": r'{"a.b": {"\"": 1, "\n": 2, "": 3, "__proto__": 4}}',
    "two megabytes": json.dumps("é" * 1_000_000),
    "100,000 keys": json.dumps({f"k{at}": at for at in range(100_000)}),
}
NAMES = [
    "try",
    "backtests",
    "default",
    "con",
    "a--b",
    "x" * 63,
    "x" * 64,
    "ä",
    "a%2Fb",
    "..",
    "%00",
]


class House:
    def __init__(self, project: Project) -> None:
        self.project = project
        self.manager = builders.bearing(builders.a_key(project, "manage")[0])
        self.editor = builders.signed_in(builders.a_member(project, Role.EDITOR).user)

    def api(self, method: str, path: str, **body: Any) -> tuple[int, str]:
        sent = {} if method == "get" else {"data": json.dumps(body), "content_type": JSON}
        response = getattr(self.manager, method)(f"/v1/{path}", **sent)
        return response.status_code, response.content.decode()

    def page(self, name: str, *at: object, **fields: object) -> tuple[int, str]:
        address = reverse(name, args=[self.project.slug, *at])
        response = self.editor.post(address, fields)
        return response.status_code, response.content.decode()


@pytest.fixture
def house(project) -> House:
    a_check(project)
    return House(project)


Door = Callable[[House, str], tuple[int, str]]
DOORS: dict[str, Door] = {
    "saved": lambda house, text: house.api("put", "success-checks/mine", yaml=text),
    "tried on a result": lambda house, text: house.api(
        "post", "success-checks/try", yaml=text, tool_name="t", result=1
    ),
    "tried on calls": lambda house, text: house.api(
        "post", "success-checks/try", yaml=text, call_ids=["c"]
    ),
    "what would it change": lambda house, text: house.api(
        "post", "success-checks/backtests", yaml=text
    ),
    "what would it change, on its page": lambda house, text: house.page(
        "outcomes:check_backtest_text", text=text
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_hostile_checks_are_rejected_and_the_next_request_is_served(house, door):
    for name, (text, words) in TEXTS.items():
        if "page" in door and "half" in name:
            continue  # a browser cannot send this
        status, result = DOORS[door](house, text)
        assert status < 500, name
        if "page" not in door and status not in (400, 413):
            plain = json.dumps(json.loads(result), ensure_ascii=False)
            expected = status == 422 and any(each in plain for each in words.split("|"))
            # A check whose name is reserved cannot be saved, but can be tried.
            assert expected or (status < 300 and name == "a name of ours"), (name, result[:500])
        Rejudging.objects.all().delete()
        assert DOORS["tried on a result"](house, FINE)[0] == 200, name
    assert CheckVersion.objects.count() == 1


def test_trying_any_result_returns_a_verdict_or_an_error(house):
    around = json.dumps({"yaml": FINE, "tool_name": "t", "result": "HERE"})
    for name, result in RESULTS.items():
        body = around.replace('"HERE"', result)
        response = house.manager.post("/v1/success-checks/try", body, content_type=JSON)
        assert response.status_code in (200, 400, 413, 422), name
        assert len(response.content) < 5_000, name


def test_any_result_is_processed_under_a_check_that_quotes_it(project):
    everything = '"{value} {result} {result|json} {result.ok}"'
    a_check(
        project,
        f"{{id: all, when: {{result: {{exists: true}}}}, verdict: failure, reason: {everything}}}",
    )
    bound(project, "* mine")
    agent = Agent(builders.bearing(builders.a_key(project, "ingest", "read")[0]))
    around = json.dumps(an_outcome("ID", output="HERE"))
    sent = [
        around.replace('"ID"', json.dumps(f"c {at}")).replace('"HERE"', result).encode()
        for at, result in enumerate(RESULTS.values())
    ]
    for raw in sent:
        assert agent.send("outcomes", b'{"outcomes": [%s]}' % raw).status_code in (202, 400, 413)
    settle()
    agent.post(an_outcome("after", output={"fine": 1}))
    assert not Batch.objects.exists()
    assert Call.objects.get(call_id="after").verdict == "failure"
    assert Call.objects.filter(check_name="mine").count() > 5
    assert differences() == []
    start_reclassification(project.pk, by=EDITOR, criteria=CallCriteria())
    run_waiting_parts()
    assert Rejudging.objects.get().status == "done"
    assert differences() == []


@pytest.mark.parametrize("name", NAMES)
def test_every_address_handles_any_check_name(house, name):
    checked, _ = house.api("put", f"success-checks/{name}", yaml=check_text(FAILS, name=name))
    assert checked in (201, 404, 405, 422), name
    for kind in ("", ".py", ".ts", ".json", ".yaml"):
        for version in ("", "?version=1", "?version=0", "?version=" + "9" * 30, "?version=x"):
            response = house.manager.get(f"/v1/success-checks/{name}{kind}{version}")
            assert response.status_code in (200, 404, 422), (name, kind, version)
    for page in ("", "compare/", "versions/1/", "versions/1/py/", "backtests/", "verdicts/"):
        shown = house.editor.get(f"/p/{house.project.slug}/checks/c/{name}/{page}")
        assert shown.status_code in (200, 302, 404), (name, page)


QUERIES = ["\0", "x" * 5_000, "-1", "9" * 30, "ä", "a b", "%"]


@pytest.mark.parametrize("query", QUERIES)
def test_check_pages_handle_any_query(house, query):
    names = "q cursor page tab from to left right old new version env agent tool since until check"
    fields = dict.fromkeys(names.split(), query)
    at, slug = "c/mine/", house.project.slug
    pages = ("", "bindings/", at, f"{at}compare/", f"{at}verdicts/", f"{at}backtests/",
             "use/", "suggestions/", "disagreements/")  # fmt: skip
    for page in pages:
        status = house.editor.get(f"/p/{slug}/checks/{page}", fields).status_code
        assert status in (200, 302, 400, 404, 422), (page, query)
    for path in ("success-checks", "success-checks/mine", "success-check-bindings"):
        assert house.manager.get(f"/v1/{path}", fields).status_code in (200, 422)


BINDINGS: list[dict[str, Any]] = [
    {"bindings": [{"tool": "*", "check": "\0"}]},
    {"bindings": [{"tool": "\0", "check": "mine"}]},
    {"bindings": [{"tool": "\ud800", "check": "mine"}]},
    {"bindings": [{"tool": "*" * 1_025, "check": "mine"}]},
    {"bindings": [{"tool": "", "check": "mine"}]},
    {"bindings": [{"tool": "*", "check": "absent"}]},
    {"bindings": [{"tool": "*", "check": "mine", "tol": "x"}]},
    {"bindings": [{"tool": "*", "check": "mine", "environment": "a b"}]},
    {"bindings": [{"tool": "*", "check": "mine"}] * 10_000},
    {"bindings": [], "revision": 10**30},
    {"bindings": [], "revision": -1},
    {"bindings": [], "revision": True},
    {"bindings": None},
]


def test_an_invalid_binding_is_not_saved(house):
    for body in BINDINGS:
        status, result = house.api("put", "success-check-bindings", **body)
        assert status in (400, 409, 413, 422), (str(body)[:80], result[:200])
        assert result, body
    assert house.api("get", "success-check-bindings")[1].count('"tool"') == 0


PERIODS: list[dict[str, Any]] = [
    {"since": "9999-12-31T23:59:59Z"},
    {"since": "0001-01-01T00:00:00+14:00"},
    {"until": "0001-01-01T00:00:00+14:00"},
    {"until": "9999-12-31T23:59:59-14:00"},
    {"tool": "\0"},
    {"tool": ["*"] * 1_000},
    {"agent": "x" * 2_000},
    {"tool": "\ud800"},
    {"env": "absent"},
    {"env": "\0"},
]


@pytest.mark.parametrize("path", ["success-checks/backtests", "reclassifications"])
def test_any_period_and_glob_starts_a_job_or_is_rejected(house, path):
    more = {"yaml": FINE} if "backtests" in path else {}
    for period in PERIODS:
        status, result = house.api("post", path, **more, **period)
        assert status in (202, 400, 422), (period, result[:300])
        Rejudging.objects.all().delete()
    for number in ("0", "9" * 19, "9" * 40, "9" * 5_000, "-1", "x"):
        for method in ("get", "delete"):
            assert house.api(method, f"{path}/{number}")[0] in (404, 405, 414, 422), number


def test_checks_and_jobs_of_another_project_are_404_by_id_and_name(house):
    other = House(builders.a_project())
    theirs = check_text(FAILS, name="theirs")
    assert other.api("put", "success-checks/theirs", yaml=theirs)[0] == 201
    jobs = {
        "success-checks/backtests": other.api("post", "success-checks/backtests", yaml=theirs)[1],
        "reclassifications": other.api("post", "reclassifications")[1],
    }
    for path, answer in jobs.items():
        at = f"{path}/{json.loads(answer)['id']}"
        assert house.api("get", at)[0] == house.api("delete", at)[0] == 404
        assert other.api("get", at)[0] == 200
    for kind in ("", ".py", ".ts", ".json", ".yaml"):
        assert house.api("get", f"success-checks/theirs{kind}")[0] == 404
    line = {"tool": "*", "check": "theirs"}
    assert house.api("put", "success-check-bindings", bindings=[line])[0] == 422
    including = check_text(FAILS, include=("theirs",))
    assert house.api("put", "success-checks/mine", yaml=including)[0] == 422
    for page in ("", "compare/", "versions/1/", "verdicts/", "backtests/"):
        mine = f"/p/{house.project.slug}/checks/c/theirs/{page}"
        theirs_at = f"/p/{other.project.slug}/checks/c/theirs/{page}"
        assert house.editor.get(mine).status_code == 404, page
        assert house.editor.get(theirs_at).status_code == 404, page
