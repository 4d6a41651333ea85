"""Secrets sent by agents do not appear on pages, in exports or in API responses."""

import html
import json
import re
from typing import Any

import pytest
from django.conf import settings
from django.urls import reverse

from governance.core.roles import Role
from governance.models import AuditEntry
from outcomes.models import Artifact, CallGroup, RejectedItem
from outcomes.stored.queries import read_calls
from tests import builders
from tests.edictum_site import routes
from tests.edictum_site.test_every_table import LINK
from tests.edictum_site.test_routes import address, everything_in, undone
from tests.governance.naming import check_text
from tests.planted import (
    FIELDS,
    PASSWORD,
    RULES,
    SECRETS,
    SEES_PASSWORD,
    SESSION,
    TEXT,
    TOOLS,
    planted,
    secrets_in,
)

# Routes that return raw bytes, only to operators, each audited.
OPENS = {"GET outcomes:artifact_raw", "GET artifacts/{artifact_id}"}


@pytest.fixture
def others(project):
    return everything_in(project)


@pytest.fixture
def calls(project):
    return planted(project)


@pytest.fixture
def things(project, others, calls):
    """Values for route parameters, including everything that was planted."""
    known = {name: [value] for name, value in others.items()}
    groups = CallGroup.objects.filter(project=project)
    shas = list(Artifact.objects.filter(project=project).values_list("sha256", flat=True))
    known["call_id"] += calls
    known["session_id"].append(SESSION)
    known["tool_name"] += TOOLS
    known["name"].append("bot")
    known["group_key"] += [bytes(each.digest).hex() for each in groups]
    known["sha256"] += shas
    known["artifact_id"] += shas
    return known


def paths_of(route: str, calls: list[str]) -> list[str]:
    """Variants of a route for each planted item named in its query."""
    if "of=c-1" in route:
        return [route, *(route.replace("of=c-1", f"of={each}") for each in calls)]
    if "of=search" in route:
        return [route, *(route.replace("of=search", f"of={each}") for each in TOOLS)]
    if "turn?of=s-1" in route:
        return [f"GET outcomes:turn?of={SESSION}&turn=t-1"]
    if "rule=no-deleting" in route:
        return [route, route.replace("no-deleting", "no-login")]
    return [route, route.replace("of=s-1", f"of={SESSION}")]


def pages(project, things, calls) -> dict[str, Role]:
    """Every page by address with its role, one for each planted item."""
    fields: dict[str, Role] = {}
    for route, least in routes.PROJECT_PAGES.items():
        if not route.startswith("GET ") or route in OPENS:
            continue
        for each in paths_of(route, calls):
            for place in range(max(map(len, things.values()))):
                known = {name: of[min(place, len(of) - 1)] for name, of in things.items()}
                fields[address(each, project, known)] = least
    shown = [path for path in fields if "/artifacts/" in path and not path.endswith("/image")]
    ways = [f"{path}?as={way}" for path in shown for way in ("text", "json", "bytes", "table")]
    return fields | dict.fromkeys(ways, Role.VIEWER)


def body_of(answer: Any) -> str:
    return b"".join(answer).decode("utf-8", "replace") if answer.streaming else answer.text


@pytest.mark.slow
def test_no_page_or_export_contains_a_secret(project, things, calls):
    clients = {role: builders.signed_in(builders.a_member(project, role).user) for role in Role}
    leaks: dict[str, list[str]] = {}
    files: dict[str, Role] = {}
    read = 0
    for path, least in pages(project, things, calls).items():
        with undone():
            answer = clients[least].get(path)
            body = html.unescape(body_of(answer))
        read += answer.status_code == 200
        if result := secrets_in(body):
            leaks[path] = result
        files |= dict.fromkeys(map(html.unescape, LINK.findall(body)), least)
    for path, least in files.items():
        with undone():
            if result := secrets_in(body_of(clients[least].get(path))):
                leaks[path] = result
    assert leaks == {}
    assert read > 200
    assert len(files) > 50


@pytest.mark.slow
def test_no_api_response_contains_a_secret(project, things, calls):
    fields = {}
    for scope in ("read", "manage"):
        client = builders.bearing(builders.a_key(project, scope)[0])
        for path in addresses(things):
            with undone():
                body = body_of(client.get(f"/v1/{path}"))
            if leaked := secrets_in(body):
                fields[scope, path] = leaked
    assert fields == {}


def addresses(things) -> set[str]:
    queries = {
        "outcomes": "limit=1000",
        "events": "limit=1000",
        "approvals": "limit=100",
        "contracts/{name}/would-deny": "env=production",
    }
    names = {f"stats?by={by}" for by in ("tool", "agent", "session", "reason", "hour")}
    for route, who in routes.API.items():
        method, _, path = route.partition(" ")
        if method != "GET" or route in OPENS or routes.READ_KEY not in who:
            continue
        named = re.findall(r"{(\w+)}", path)
        of = "check_name" if path.startswith("success-checks") else "bundle_name"
        values = {name: things.get(of if name == "name" else name, [1]) for name in named}
        for place in range(max(map(len, values.values()), default=1)):
            known = {name: each[min(place, len(each) - 1)] for name, each in values.items()}
            names.add(f"{path.format(**known)}?{queries.get(path, '')}".rstrip("?"))
    return names


def post(client, path: str, **body: object) -> Any:
    return client.post(f"/v1/{path}", body, content_type="application/json")


def test_trying_a_check_on_recorded_calls_does_not_reveal_secrets(project, calls):
    client = builders.bearing(builders.a_key(project, "read")[0])
    text = check_text(SEES_PASSWORD, name="try")
    answers = [
        post(client, "success-checks/try", yaml=text, call_ids=calls),
        post(client, "success-checks/try", yaml=text, tool_name="login", result=FIELDS),
    ]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert [secrets_in(answer.text) for answer in answers] == [[], []]
    judged = {each["call_id"]: each["verdict"] for each in answers[0].json()["calls"]}
    assert judged["p-0"] == "failure"  # evaluated on the stored value, not the masked one


def test_recorded_results_of_the_check_editor_are_masked(project, calls):
    client = builders.signed_in(builders.a_member(project, Role.EDITOR).user)
    text = check_text(SEES_PASSWORD, name="try")
    sent = {"text": text, "tools": ",".join(TOOLS), "order": "newest"}
    shown = client.post(reverse("outcomes:recorded_results", args=[project.slug]), sent)
    body = html.unescape(shown.text)
    assert secrets_in(body.replace(html.unescape(text), "")) == []
    matches = set(re.findall(r'value="((?:failure|rule):\d+)"', shown.text))
    assert matches
    for each in matches:
        answer = client.post(
            reverse("outcomes:take_result", args=[project.slug]),
            sent | {"take": each},
            headers={"HX-Request": "true"},
        )
        assert secrets_in(answer.text) == []


def test_values_in_contract_evaluations_are_masked(project):
    client = builders.bearing(builders.a_key(project, "read")[0])
    call = {"yaml": RULES, "tool_name": "login", "tool_args": FIELDS}
    for path in ("contracts/evaluate", "contracts/explain"):
        answer = post(client, path, **call)
        assert answer.status_code == 200, answer.content
        assert answer.json()["action"] == "block"
        assert secrets_in(answer.text) == []


def opened(client, project, place: str, **fields: str) -> Any:
    at = reverse("outcomes:open_value", args=[project.slug])
    sent = {"kind": "call", "of": "p-0", "place": place} | fields
    return client.post(at, sent, headers={"HX-Request": "true"})


def test_an_operator_can_open_one_value_and_it_is_audited(project, calls):
    client = builders.signed_in(builders.a_member(project, Role.OPERATOR).user)
    page = client.get(reverse("outcomes:call", args=[project.slug, "p-0"])).text
    assert 'value="/tool_args/password"' in page
    answer = opened(client, project, "/tool_args/password")
    assert secrets_in(answer.text) == ["password"]
    entry = AuditEntry.objects.filter(project=project).latest("number")
    assert (entry.action, entry.subject) == ("value opened", "p-0")
    assert entry.details == {
        "of": "call", "environment": "production", "place": "/tool_args/password"
    }  # fmt: skip
    assert secrets_in(json.dumps(entry.details)) == []


@pytest.mark.one_database
@pytest.mark.slow
def test_every_masked_value_of_a_call_can_be_opened(project, calls):
    client = builders.signed_in(builders.a_member(project, Role.OPERATOR).user)
    for call in calls:
        page = client.get(reverse("outcomes:call", args=[project.slug, call])).text
        places = re.findall(r'form="open-value" name="place" value="([^"]+)"', page)
        assert places, call
        for place in map(html.unescape, places):
            answer = opened(client, project, place, of=call)
            assert answer.status_code == 200, (call, place)
            is_short = "4-b" in answer.text
            assert secrets_in(html.unescape(answer.text)) or is_short, (call, place)


def test_a_viewer_cannot_open_masked_values(project, calls):
    client = builders.signed_in(builders.a_member(project, Role.VIEWER).user)
    page = client.get(reverse("outcomes:call", args=[project.slug, "p-0"])).text
    assert "open-value" not in page
    assert opened(client, project, "/tool_args/password").status_code == 403
    assert not AuditEntry.objects.filter(project=project, action="value opened").exists()


def test_a_manage_key_can_open_a_value_and_a_read_key_cannot(project, calls):
    fields = {"id": "p-0", "place": "/tool_args/password"}
    manager, reader = (
        builders.bearing(builders.a_key(project, scope)[0]) for scope in ("manage", "read")
    )
    assert post(reader, "opened-values", **fields).status_code == 403
    answer = post(manager, "opened-values", **fields)
    assert answer.json() == {"place": fields["place"], "value": PASSWORD}
    assert post(manager, "opened-values", id="p-0", place="/tool_args/none").status_code == 404
    assert AuditEntry.objects.filter(project=project, action="value opened").count() == 1


def test_values_of_rejected_items_and_approvals_can_be_opened(project, calls):
    manager = builders.bearing(builders.a_key(project, "manage")[0])
    item = RejectedItem.objects.filter(project=project).earliest("id")
    answer = post(manager, "opened-values", kind="rejected", id=str(item.pk), place="/excerpt")
    assert secrets_in(answer.json()["value"])
    code = manager.get("/v1/approvals").json()["approvals"][0]["id"]
    answer = post(manager, "opened-values", kind="approval", id=code, place="/tool_args/password")
    assert answer.json()["value"] == PASSWORD


def test_downloading_raw_artifacts_requires_an_operator_and_is_audited(project, calls, client_as):
    artifact = Artifact.objects.filter(project=project).earliest("id")
    at = reverse("outcomes:artifact_raw", args=[project.slug, artifact.sha256])
    assert client_as(Role.VIEWER).get(at).status_code == 403
    assert secrets_in(body_of(client_as(Role.OPERATOR).get(at)))
    entry = AuditEntry.objects.filter(project=project).latest("number")
    assert (entry.action, entry.subject) == ("artifact opened", artifact.sha256)
    reader, manager, agent = (
        builders.bearing(builders.a_key(project, scope)[0]) for scope in ("read", "manage", "agent")
    )
    path = f"/v1/artifacts/{artifact.sha256}"
    assert reader.get(path).status_code == 403
    assert secrets_in(body_of(manager.get(path)))
    before = AuditEntry.objects.filter(project=project).count()
    assert secrets_in(body_of(agent.get(path)))  # agents receive it unmasked
    assert AuditEntry.objects.filter(project=project).count() == before


def test_masking_preserves_verdicts_and_groups(project, calls):
    client = builders.bearing(builders.a_key(project, "read")[0])
    outcomes = {
        each["call_id"]: each for each in client.get("/v1/outcomes?limit=1000").json()["outcomes"]
    }
    vault = [each for each in outcomes.values() if each["tool_name"] == "vault_read"]
    assert {each["verdict"] for each in vault} == {"failure"}
    assert {each["rule"] for each in vault} == {"has-password"}
    assert {each["value"] for each in vault} == {"[masked]"}
    denied = [each for each in outcomes.values() if each.get("reason") == "contract"]
    assert len({each["details"] for each in denied}) == 2
    assert TEXT not in denied[0]["details"]
    assert set(SECRETS) == set(secrets_in(TEXT))


SHOWING = {"api", "views", "words", "tables", "charts"}  # modules that display data
# Modules that read unmasked calls, and why nothing of it is displayed.
UNMASKED = {
    "outcomes/check_editor/api.py": "a check is asked with what was sent; its answer is masked",
    "outcomes/artifacts/views/artifact.py": "masked where the line is written",
    "outcomes/calls/views/call.py": "rules see what was sent; `shown` masks the rest",
    "outcomes/calls/views/rules.py": "a contract is asked with what was sent; its answer is masked",
    "outcomes/backtesting/views/changed_calls.py": "masked where the line is written",
    "outcomes/sessions/views/cause.py": "a line of arguments",
    "outcomes/calls/views/rows.py": "a line of arguments; and approvals, found by equal arguments",
}


def test_display_code_reads_unmasked_calls_only_with_a_listed_reason():
    reading = {
        str(path.relative_to(settings.BASE))
        for path in (settings.BASE / "outcomes").rglob("*.py")
        if SHOWING & {path.stem, *path.parts}
        and f"{read_calls.__name__}(" in path.read_text("utf-8")
    }
    assert reading == set(UNMASKED)
