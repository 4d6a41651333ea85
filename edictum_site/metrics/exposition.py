"""Samples as Prometheus reads them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from edictum_site.metrics.domain import METRICS, Kind, Metric, Sample


class Samples(Collector):
    """Samples of one scrape, and what other collectors know."""

    def __init__(self, samples: Iterable[Sample], others: Sequence[Collector] = ()) -> None:
        self._samples = samples
        self._others = others

    def collect(self) -> Iterator[Family]:
        by_name: defaultdict[str, list[Sample]] = defaultdict(list)
        for sample in self._samples:
            by_name[sample.metric].append(sample)
        for metric in METRICS:
            if samples := by_name.get(metric.name):
                yield _family(metric, samples)
        for other in self._others:
            yield from other.collect()


def _family(metric: Metric, samples: Iterable[Sample]) -> Family:
    kind = CounterMetricFamily if metric.kind is Kind.COUNTER else GaugeMetricFamily
    family = kind(metric.name, metric.text, labels=metric.labels)
    for sample in samples:
        family.add_metric(sample.labels, sample.value)
    return family


def encoded(samples: Collector, accept: str) -> tuple[bytes, str]:
    """The answer and its content type: OpenMetrics where it is accepted, else text."""
    encode, content_type = choose_encoder(accept)
    return encode(samples), content_type
