"""Large outputs that many calls refer to are read as needed and cached within bounds."""

import json
import tracemalloc
from hashlib import sha256

from django.db import transaction

from outcomes.artifacts.commands import contents
from outcomes.artifacts.commands.contents import Contents
from outcomes.models import Call
from tests.outcomes.reclassification.test_rejudging import ran
from tests.outcomes.rejudging import flips, tried
from tests.recount import differences

EACH, SIZE = 20, 4_000  # outputs of so many lists: a few bytes in a file, many in memory


def nested_lists(number: int) -> list[object]:
    return [number, *[[] for _ in range(SIZE)]]


def test_memory_for_reading_many_large_outputs_is_bounded(project, monkeypatch):
    monkeypatch.setattr(contents, "REMEMBERED", 4 * SIZE * len("[], "))
    stored = Contents()
    names = []
    for number in range(EACH):
        text = json.dumps(nested_lists(number)).encode()
        stored.keep(project.pk, [(text, "application/json")])
        names.append(sha256(text).hexdigest())
    with transaction.atomic():
        stored.write()
    for reading in (stored, Contents()):
        tracemalloc.start()
        try:
            for number, name in enumerate(names):
                assert reading.value_of(project.pk, name) == nested_lists(number)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert peak < 8 * SIZE * 64


def test_calls_with_large_outputs_are_classified_despite_cache_evictions(
    project, agent, monkeypatch
):
    monkeypatch.setattr(contents, "REMEMBERED", 50_000)
    agent.post(*[ran({"ok": bool(at % 3), "log": f"{at} {'x' * 20_000}"}, at) for at in range(9)])
    assert {call.kind for call in Call.objects.all()} == {"artifact_reference"}
    assert flips(tried(project)) == {"newly_failed": 3, "unchanged": 6}
    assert differences() == []
