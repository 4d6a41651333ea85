"""`GET /metrics`: real scrapes, parsed as Prometheus parses them."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client import CONTENT_TYPE_LATEST

from edictum_site.metrics import process, views
from edictum_site.metrics.domain import BY_NAME, METRICS, About
from edictum_site.metrics.queries import project_samples
from governance.core.roles import Role
from governance.findings import open_finding
from governance.models import Approval
from governance.people.auth import keys
from outcomes.figures.domain.totals import NAMED
from outcomes.models import Batch, Host
from tests import builders
from tests.edictum_site.metrics.scraping import (
    OPEN_METRICS,
    TOKEN,
    Scrape,
    rolled_up,
    scraped,
    with_token,
)
from tests.edictum_site.test_read_only_database import read_only
from tests.governance.approvals.builders import an_approval
from tests.outcomes.backtests import waiting_backtest
from tests.outcomes.pages import a_denied_item, an_item
from tests.outcomes.waiting_jobs import run_waiting_backtests


@pytest.fixture(autouse=True)
def _with_token(settings):
    settings.METRICS_TOKEN = TOKEN


@pytest.fixture
def everything(db) -> Client:
    return with_token()


def some_calls(agent) -> None:
    agent.post(
        an_item(),
        an_item(tool_name="send", output="Error: no"),
        an_item(tool_name="send", type="timeout", output=None, tool_success=None),
        a_denied_item(reason="limit"),
        a_denied_item(reason="contract"),
        a_denied_item(reason="a text of the agent's own"),
    )
    rolled_up()


def test_calls_are_counted_by_tool_and_type_and_verdict(agent, reader, project):
    some_calls(agent)
    scrape = scraped(reader)
    place = {"project": project.slug, "environment": "production"}
    query, send = {**place, "tool": "query"}, {**place, "tool": "send"}
    assert scrape.of("edictum_calls_total", **query, type="execution_result") == 1
    assert scrape.of("edictum_calls_total", **query, type="denied") == 3
    assert scrape.of("edictum_calls_total", **send, type="timeout") == 1
    assert scrape.of("edictum_verdicts_total", **query, verdict="success") == 1
    assert scrape.of("edictum_verdicts_total", **send, verdict="failure") == 2
    assert scrape.of("edictum_disagreements_total", **send) == 1
    assert scrape.of("edictum_denials_total", **place, reason="limit") == 1
    assert scrape.of("edictum_denials_total", **place, reason="contract") == 1
    assert scrape.of("edictum_denials_total", **place, reason="other") == 1
    assert scrape.of("edictum_limits_reached_total", **place) == 1


def test_series_exist_before_the_first_failure_and_denial(agent, reader, project):
    agent.post(an_item())
    rolled_up()
    scrape = scraped(reader)
    place = {"project": project.slug, "environment": "production"}
    query = {**place, "tool": "query"}
    assert scrape.of("edictum_verdicts_total", **query, verdict="failure") == 0
    assert scrape.of("edictum_disagreements_total", **query) == 0
    assert scrape.of("edictum_denials_total", **place, reason="contract") == 0
    assert scrape.of("edictum_limits_reached_total", **place) == 0


def test_the_ingest_backlog_and_lag_are_measured(agent, reader, project):
    agent.door(b'{"outcomes": []}')
    builders.a_batch(project)
    scrape = scraped(reader)
    assert scrape.of("edictum_backlog_batches", project=project.slug) == Batch.objects.count() > 0
    lag = scrape.of("edictum_settling_lag_seconds", project=project.slug)
    assert lag is not None
    assert lag > 0


def test_alerts_and_approvals_are_counted_until_they_end(reader, project):
    open_finding(project.pk, kind="a_test", subject="x", why="It is broken.")
    an_approval(project)
    scrape = scraped(reader)
    assert scrape.of("edictum_alerts", project=project.slug, severity="warning") == 1
    assert scrape.of("edictum_alerts", project=project.slug, severity="error") == 0
    place = {"project": project.slug, "environment": "production"}
    assert scrape.of("edictum_pending_approvals", **place) == 1
    Approval.objects.update(created_at=timezone.now() - timedelta(minutes=9))
    age = scraped(reader).of("edictum_oldest_approval_seconds", **place)
    assert age is not None
    assert 540 <= age < 600
    Approval.objects.update(ends_at=timezone.now())
    assert scraped(reader).of("edictum_pending_approvals", **place) == 0
    assert scraped(reader).of("edictum_oldest_approval_seconds", **place) == 0


def test_a_key_scrapes_only_metrics_of_its_own_project(agent, reader, everything):
    other = builders.a_project()
    some_calls(agent)
    assert scraped(reader).labels("edictum_backlog_batches", "project") != {other.slug}
    assert other.slug not in str(scraped(reader).values)
    assert scraped(reader).names <= {each.name for each in METRICS if each.about is About.PROJECT}
    assert other.slug in scraped(everything).labels("edictum_backlog_batches", "project")


@pytest.mark.parametrize("scopes", [("ingest",), ("agent",)])
def test_a_key_without_the_read_scope_is_rejected(project, scopes):
    response = builders.bearing(builders.a_key(project, *scopes)[0]).get("/metrics")
    assert (response.status_code, response.json()["code"]) == (403, "scope")


def test_a_scrape_requires_a_credential_even_on_loopback(db):
    for client in (Client(), Client(REMOTE_ADDR="127.0.0.1"), with_token("another-token-of-it")):
        response = client.get("/metrics")
        assert (response.status_code, response.json()["code"]) == (401, "unauthenticated")
        assert response.headers["WWW-Authenticate"] == "Bearer"


def test_a_browser_session_cannot_scrape_metrics(project):
    client = builders.signed_in(builders.a_member(project, Role.ADMIN).user)
    assert client.get("/metrics").status_code == 401


def test_without_the_setting_no_token_is_accepted(db, settings):
    settings.METRICS_TOKEN = ""
    for token in ("", TOKEN):
        assert with_token(token).get("/metrics").status_code == 401


def test_only_get_and_head_are_allowed(everything):
    assert everything.post("/metrics").status_code == 405
    assert everything.head("/metrics").content == b""


def test_the_response_is_plain_text_or_openmetrics(everything):
    plain = everything.get("/metrics")
    assert plain.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    assert plain.headers["Cache-Control"] == "no-store"
    assert scraped(everything, Accept=OPEN_METRICS).names >= {"edictum_build_info"}
    assert "version=1.0.0" in CONTENT_TYPE_LATEST


def test_a_full_scrape_contains_every_metric(agent, everything, project, broker_up):
    some_calls(agent)
    an_approval(project)
    waiting_backtest(project)
    run_waiting_backtests()
    waiting_backtest(project)
    process.observe_request("GET", "/v1/outcomes", 200, 0.01)
    for key, release in (("old folder", "1"), ("new folder", "2")):
        Host.objects.create(
            key=key, name="a", process="web", release=release, generation=1, secret="s",
            started_at=timezone.now(), heard_at=timezone.now(),
        )  # fmt: skip
    scrape = scraped(everything)
    histogram = {"edictum_request_seconds_bucket", "edictum_request_seconds_count"}
    names = {name for name in scrape.names if name.startswith("edictum_")}
    expected = set(BY_NAME) - {"edictum_request_seconds"} | histogram
    expected |= {"edictum_request_seconds_sum", "edictum_request_seconds_created"}
    assert names == expected
    assert "process_resident_memory_bytes" in scrape.names
    for family in scrape.families:
        if metric := BY_NAME.get(family.name) or BY_NAME.get(f"{family.name}_total"):
            assert (family.type, family.documentation) == (metric.kind, metric.text)
            labels = {frozenset(each.labels) - {"le"} for each in family.samples}
            assert labels == {frozenset(metric.labels)}
    assert scrape.of("edictum_jobs", kind="backtest", status="queued") == 1
    assert scrape.of("edictum_jobs_ended_total", kind="backtest", status="failed") == 1
    assert scrape.of("edictum_host_up", host="a", process="web") == 1


def test_requests_are_counted_by_route_group():
    assert {
        process.route_of(method, path)
        for method, path in (
            ("POST", "/v1/outcomes"),
            ("POST", "/api/v1/audit/ingest"),
            ("POST", "/v1/traces"),
        )
    } == {"ingest"}
    assert process.route_of("GET", "/v1/outcomes/c-1") == "api"
    assert process.route_of("POST", "/v1/sessions/a/increment") == "session_store"
    assert process.route_of("GET", "/v1/health/live") == "health"
    assert process.route_of("GET", "/v1/stream") == "stream"
    assert process.route_of("GET", "/static/a.css") == "static"
    assert process.route_of("GET", "/metrics") == "metrics"
    for path in ("/p/a/overview/", "", "*", "/x" * 9_000, "/v1", "/v2/metrics"):
        assert process.route_of("GET", path) == "page"


def test_a_tool_without_its_own_label_is_counted_as_other(agent, reader, project):
    agent.post(*(an_item(tool_name=f"tool-{number}") for number in range(NAMED)))
    rolled_up()
    agent.post(*(an_item(tool_name=f"late-{number}") for number in range(7)))
    rolled_up()
    scrape = scraped(reader)
    tools = scrape.labels("edictum_calls_total", "tool")
    assert len(tools) == NAMED + 1
    assert scrape.sum("edictum_calls_total", tool="other") == 7
    assert scrape.sum("edictum_calls_total") == NAMED + 7


def test_tool_names_are_escaped_and_truncated(agent, reader):
    name = 'a"b\\c\nd{}' + "x" * 300
    agent.post(an_item(tool_name=name))
    rolled_up()
    assert scraped(reader).labels("edictum_calls_total", "tool") == {name[:128]}


def test_scrapes_are_cached_for_a_few_seconds(
    agent, reader, django_assert_num_queries, monkeypatch
):
    monkeypatch.setattr(views, "EVERY", 600.0)  # longer than any test run
    monkeypatch.setattr(keys, "CACHE_SECONDS", 600.0)
    some_calls(agent)
    before = scraped(reader).sum("edictum_calls_total")
    some_calls(agent)
    with django_assert_num_queries(0):  # including the key lookup
        response = reader.get("/metrics")
    assert Scrape(response.content.decode()).sum("edictum_calls_total") == before
    assert scraped(reader).sum("edictum_calls_total") == 2 * before


def queries_of(read: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        read()
    return [each["sql"] for each in captured.captured_queries]


def test_the_query_count_of_a_scrape_is_constant_and_reads_no_calls(agent, everything, project):
    agent.post(an_item())
    rolled_up()
    few = queries_of(lambda: project_samples(project.pk))
    agent.post(*(an_item(f"s-{n}", tool_name=f"tool-{n}") for n in range(70)))
    rolled_up()
    assert len(queries_of(lambda: project_samples(project.pk))) == len(few) < 10
    tables = r"outcomes_(call|event|session|rollup|rollupminute|artifact)\b"
    statements = queries_of(lambda: scraped(everything))
    assert [each for each in statements if re.search(tables, each)] == []


@pytest.mark.django_db(transaction=True)
def test_a_scrape_with_the_token_works_while_the_database_is_read_only(everything):
    assert scraped(everything).of("edictum_part_up", part="database") == 1
    with read_only():
        scrape = scraped(everything)
    assert scrape.of("edictum_part_up", part="database") == 0
    assert scrape.of("edictum_disk_free_bytes", disk="data")
    assert "edictum_backlog_batches" not in scrape.names
