"""Wire formats of agents, parsed into typed events; the only place that knows the wire's names.

Ingest reads a body here and rejects invalid items one by one. The worker later parses the same text
of accepted items into events.
"""

from outcomes.record.wire.body import MAX_BODY, MAX_ITEMS, Body, check_item, read_body, read_item
from outcomes.record.wire.families import family_of
from outcomes.record.wire.masked import mask_excerpt, mask_item, mask_report
from outcomes.record.wire.payloads import ARGUMENTS, OUTPUT, remove_payload
from outcomes.record.wire.posted import Sender, Source
from outcomes.record.wire.refusals import EXCERPT, BodyRefused, ItemRefused, Refusal, Warned
from outcomes.record.wire.reports import read_report

__all__ = [
    "ARGUMENTS",
    "EXCERPT",
    "MAX_BODY",
    "MAX_ITEMS",
    "OUTPUT",
    "Body",
    "BodyRefused",
    "ItemRefused",
    "Refusal",
    "Sender",
    "Source",
    "Warned",
    "check_item",
    "family_of",
    "mask_excerpt",
    "mask_item",
    "mask_report",
    "read_body",
    "read_item",
    "read_report",
    "remove_payload",
]
