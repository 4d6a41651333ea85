"""Scrapes, parsed as Prometheus parses them."""

from collections.abc import Mapping
from typing import Any

from django.test import Client
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_metrics
from prometheus_client.parser import text_string_to_metric_families as plain_text

from edictum_site.metrics import views
from outcomes.figures.commands.rolling_up import roll_up
from outcomes.health import commands as readiness

TOKEN = "a-token-of-the-installation"
OPEN_METRICS = "application/openmetrics-text; version=1.0.0"

Values = dict[tuple[str, frozenset[tuple[str, str]]], float]


class Scrape:
    """Samples by name and labels."""

    def __init__(self, text: str, *, is_open: bool = False) -> None:
        parse = open_metrics if is_open else plain_text
        self.families = list(parse(text))
        samples = [sample for family in self.families for sample in family.samples]
        self.values: Values = {
            (each.name, frozenset(each.labels.items())): each.value for each in samples
        }
        assert len(self.values) == len(samples)  # no duplicate series

    @property
    def names(self) -> set[str]:
        return {name for name, _ in self.values}

    def of(self, name: str, **labels: str) -> float | None:
        return self.values.get((name, frozenset(labels.items())))

    def sum(self, name: str, **labels: str) -> float:
        """Sum over the labels that are not given."""
        labelled = labels.items()
        return sum(
            value for (n, have), value in self.values.items() if n == name and labelled <= set(have)
        )

    def labels(self, name: str, label: str) -> set[str]:
        return {dict(have)[label] for n, have in self.values if n == name}


def rolled_up() -> None:
    while roll_up():
        pass


def scraped(client: Client, **headers: str) -> Scrape:
    """A scrape with fresh figures instead of cached ones."""
    views.forget()
    readiness.forget()
    response = client.get("/metrics", headers=headers)
    assert response.status_code == 200, response.content
    kind = response.headers["Content-Type"]
    return Scrape(response.content.decode(), is_open=kind.startswith(OPEN_METRICS.split(";")[0]))


def with_token(token: str = TOKEN) -> Client:
    return Client(headers={"Authorization": f"Bearer {token}"})


def counters(scrape: Scrape) -> Mapping[Any, float]:
    return {
        key: value for key, value in scrape.values.items() if key[0].endswith(("_total", "_count"))
    }
