"""A tracer provider that exports to the collector in the environment, one post per program."""

from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


@contextmanager
def exported_spans() -> Iterator[TracerProvider]:
    provider = TracerProvider(resource=Resource.create({"service.name": "billing-bot"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    yield provider
    provider.shutdown()
