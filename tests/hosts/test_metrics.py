"""Scrapes of two web processes on different hosts show the same database metrics."""

import http.client
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from edictum_site.metrics.domain import BY_NAME, About
from tests.edictum_site.metrics.scraping import TOKEN, Scrape
from tests.hosts.installation import installation, until
from tests.items import an_outcome
from tests.journeys.console import KEY, Console

pytestmark = pytest.mark.slow  # it starts the product
OF_ONE_WEB = {name for name, metric in BY_NAME.items() if metric.about is About.PROCESS}


def scraped(console: Console, token: str = TOKEN) -> Scrape:
    connection = http.client.HTTPConnection(urlsplit(console.url).netloc, timeout=40)
    try:
        connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        text = answer.read().decode()
    finally:
        connection.close()
    assert answer.status == 200, text
    return Scrape(text)


def shared(scrape: Scrape) -> dict[object, float]:
    """Samples that are the same on every web process, without those that change between scrapes."""
    mine = ("edictum_request_seconds", "process_", "edictum_host_clock", *OF_ONE_WEB)
    return {key: value for key, value in scrape.values.items() if not key[0].startswith(mine)}


def has_counted(console: Console, calls: int) -> bool:
    return scraped(console).sum("edictum_calls_total") == calls


def test_two_webs_agree_on_what_the_database_knows(server: str, tmp_path: Path):
    with installation(tmp_path, server, EDICTUM_SITE_METRICS_TOKEN=TOKEN) as made:
        first, second, *_ = (
            made.start(host, *role)
            for host, *role in (("a", "web"), ("b", "web"), ("c", "worker"), ("d", "scheduler"))
        )
        for each in made.products:
            each.wait_until_served()
        database = made.variables["DATABASE_URL"]
        webs = Console(first, database), Console(second, database)
        calls = [uuid.uuid4().hex for _ in range(40)]
        for number, call in enumerate(calls):
            webs[number % 2].post(an_outcome(call, tool_name=f"tool-{number % 3}", output=number))
        until(lambda: all(has_counted(web, len(calls)) for web in webs))
        until(lambda: shared(scraped(webs[0])) == shared(scraped(webs[1])))
        scrapes = [scraped(web) for web in webs]
        place = {"project": "default", "environment": "production"}
        for scrape in scrapes:
            posts = scrape.of("edictum_request_seconds_count", route="ingest", status="2xx")
            assert posts == len(calls) / 2  # only those it received
            assert scrape.of("edictum_part_up", part="broker") == 1
            assert scrape.of("edictum_part_up", part="scheduler") == 1
            assert scrape.of("edictum_host_up", host="c", process="worker") == 1
            assert scrape.sum("edictum_calls_total", **place, tool="tool-0") == 14
            assert "edictum_queue_messages" in scrape.names
            assert scrape.of("process_start_time_seconds")
        only_its_own = scraped(webs[0], KEY)
        assert only_its_own.sum("edictum_calls_total") == len(calls)
        assert "edictum_host_up" not in only_its_own.names
