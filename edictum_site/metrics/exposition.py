"""Encode samples in Prometheus formats."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from edictum_site.metrics.domain import METRICS, Kind, Metric, Sample

END: Final = b"# EOF\n"  # last line of OpenMetrics


class Samples(Collector):
    """Collector of one scrape's samples and those of other collectors."""

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


@dataclass(frozen=True, slots=True)
class Format:
    """OpenMetrics if the client accepts it, else the text format."""

    content_type: str
    encode: Callable[[Collector], bytes]

    @classmethod
    def accepted(cls, header: str) -> "Format":
        encode, content_type = choose_encoder(header)
        return cls(content_type, encode)

    def joined(self, *parts: bytes) -> bytes:
        """One response body from the bodies of separate sets of metrics."""
        end = END if parts[0].endswith(END) else b""
        return b"".join(part.removesuffix(END) for part in parts) + end
