"""Which requests count as slow, and for which actor."""

import pytest
from django.urls import resolve

from edictum_site.slow import LARGE, Slow
from tests import builders

SLOW = [
    ("POST", "/mcp"),
    ("POST", "/v1/contracts"),
    ("POST", "/v1/contracts/validate"),
    ("POST", "/api/v1/contracts/evaluate"),
    ("POST", "/v1/contracts/explain"),
    ("POST", "/v1/contracts/backtests"),
    ("POST", "/v1/contracts/billing/cases/run"),
    ("POST", "/v1/contracts/billing/deployments"),
    ("POST", "/v1/contracts/billing/deployment-requests"),
    ("POST", "/v1/contracts/billing/rollbacks"),
    ("POST", "/v1/contracts/billing/enforcements"),
    ("GET", "/v1/contracts/billing/deployment-plan"),
    ("POST", "/v1/contract-drafts/1/versions"),
    ("POST", "/v1/deployment-requests/1/decision"),
    ("POST", "/v1/success-checks/try"),
    ("POST", "/v1/success-checks/backtests"),
    ("GET", "/v1/artifacts/abc?lines=1-2"),
    ("POST", "/p/default/contracts/check/"),
    ("POST", "/p/default/contracts/new/"),
    ("GET", "/p/default/contracts/playground/"),
    ("POST", "/p/default/contracts/b/billing/playground/result/"),
    ("GET", "/p/default/contracts/drafts/1/"),
    ("POST", "/p/default/contracts/drafts/1/playground/result/"),
    ("GET", "/p/default/contracts/b/billing/edit/"),
    ("GET", "/p/default/contracts/b/billing/tests/panel/"),
    ("POST", "/p/default/contracts/b/billing/tests/1/"),
    ("GET", "/p/default/contracts/b/billing/deploy/"),
    ("GET", "/p/default/contracts/b/billing/versions/1/"),
    ("GET", "/p/default/contracts/b/billing/text/"),
    ("POST", "/p/default/contracts/b/billing/enforce/"),
    ("POST", "/p/default/contracts/requests/1/decide/"),
    ("POST", "/p/default/contracts/deployments/1/roll-back/"),
    ("POST", "/p/default/contracts/backtests/text/"),
    ("GET", "/p/default/artifacts/abc/"),
    ("POST", "/p/default/checks/recorded/"),
    ("POST", "/p/default/checks/bindings/preview/"),
    ("GET", "/p/default/checks/c/mine/verdicts/"),
    ("GET", "/p/default/live/call-rules/"),
    ("GET", "/p/default/live/artifact/abc/"),
]
QUICK = [
    ("POST", "/v1/outcomes"),
    ("POST", "/v1/artifacts"),
    ("GET", "/v1/artifacts/abc"),
    ("GET", "/v1/health"),
    ("GET", "/v1/contracts"),
    ("GET", "/v1/contracts/validate"),
    ("PUT", "/v1/sessions/POST%20contracts"),
    ("GET", "/p/default/calls/"),
    ("GET", "/p/default/calls/?tool=a&format=csv"),
    ("POST", "/p/default/contracts/b/billing/edit/keep/"),
    ("GET", "/static/css/site.css"),
    ("GET", "/"),
]


def environ(method: str, address: str, **more: str) -> dict[str, str]:
    path, _, query = address.partition("?")
    return {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, **more}


@pytest.mark.parametrize(("method", "address"), SLOW)
def test_requests_that_evaluate_or_scan_artifacts_are_slow(method, address):
    assert Slow().is_slow(environ(method, address))
    resolve(address.partition("?")[0])  # it exists


@pytest.mark.parametrize(("method", "address"), QUICK)
def test_requests_from_agents_are_not_slow(method, address):
    assert not Slow().is_slow(environ(method, address))


def test_posting_a_large_artifact_is_slow():
    small, large = (str(size) for size in (LARGE, LARGE + 1))
    assert not Slow().is_slow(environ("POST", "/v1/artifacts", CONTENT_LENGTH=small))
    assert Slow().is_slow(environ("POST", "/v1/artifacts", CONTENT_LENGTH=large))


def test_the_actor_is_a_key_or_a_person_and_empty_for_strangers(project, admin_client):
    key, _ = builders.a_key(project, "read")
    other, _ = builders.a_key(project, "read")
    cookie = f"sessionid={admin_client.cookies['sessionid'].value}"
    actors = [
        Slow().actor(environ("GET", "/", HTTP_AUTHORIZATION=f"Bearer {key}")),
        Slow().actor(environ("GET", "/", HTTP_AUTHORIZATION=f"Bearer {other}")),
        Slow().actor(environ("GET", "/", HTTP_COOKIE=cookie)),
    ]
    assert len(set(actors)) == 3
    assert all(actors)
    assert Slow().actor(environ("GET", "/")) == ""
    assert Slow().actor(environ("GET", "/", HTTP_COOKIE="sessionid=nobody")) == ""
    assert Slow().actor(environ("GET", "/", HTTP_AUTHORIZATION="Bearer edk_x_y")) == ""


@pytest.mark.parametrize(
    ("method", "address", "query", "waits"),
    [
        ("GET", "/v1/outcomes", "wait=30", True),
        ("GET", "/api/v1/outcomes/c-1", "env=production&wait=30", True),
        ("GET", "/v1/agent-sessions/s-1", "wait=1", True),
        ("GET", "/v1/events", "wait=1", True),
        ("GET", "/v1/stats", "by=tool&wait=1", True),
        ("GET", "/v1/outcomes", "", False),
        ("POST", "/v1/outcomes", "wait=1", False),
        ("GET", "/p/default/calls/", "wait=1", False),
    ],
)
def test_only_reads_of_processed_outcomes_can_wait(method, address, query, waits):
    environ = {"REQUEST_METHOD": method, "PATH_INFO": address, "QUERY_STRING": query}
    assert Slow().waits(environ) is waits
