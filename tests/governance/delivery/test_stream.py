"""The streams of one process: which messages each agent receives, without HTTP or a database."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from governance.delivery.news import Place
from governance.delivery.queries.documents import ServedDocument
from governance.delivery.queries.streams import StreamRequest, Target
from governance.delivery.stream import events
from governance.delivery.stream import hub as hubs
from governance.delivery.stream.hub import Hub, Stopped
from governance.delivery.stream.stream import MOST_WAITING, Postbox, Stream

HERE, THERE = Place(1, 1), Place(1, 2)
V1 = ServedDocument(
    bundle_name="billing",
    version=1,
    env="production",
    revision_hash="a" * 64,
    document=b"apiVersion: edictum/v1\n",
    signature="c2lnbmVk",
    public_key="0" * 64,
    stopped=False,
)
V2 = replace(V1, version=2, revision_hash="b" * 64, document=b"apiVersion: edictum/v1\n# 2\n")
SAFE = replace(V1, bundle_name="safe", revision_hash="c" * 64)
STOP = replace(V1, bundle_name="", revision_hash="d" * 64, stopped=True)


def stream_request(bundle: str = "billing", **more: Any) -> StreamRequest:
    events_in: dict[str, Any] = {
        "place": HERE,
        "environment": "production",
        "key_id": 1,
        "agent": "bot",
    }
    return StreamRequest(**(events_in | {"bundle": bundle, "dialect": "new"} | more))


def events_in(message: bytes) -> list[tuple[str, dict[str, Any]]]:
    """Events of a message, parsed by the rules of the strictest client, Go's."""
    items = []
    for text in message.decode().split("\n\n")[:-1]:
        name, data = text.split("\n")
        assert name.startswith("event: ")
        assert data.startswith("data: ")
        items.append((name[7:], json.loads(data[6:])))
    return items


@dataclass
class World:
    """Stand-in for the database's answers."""

    standings: dict[Place, Target | None] = field(default_factory=dict)
    keys: set[int] = field(default_factory=lambda: {1})
    questions: int = 0
    broken: bool = False
    before_answer: Callable[[], None] = lambda: None

    async def resolve_targets(
        self, place: Place, requests: Sequence[StreamRequest]
    ) -> list[Target | None]:
        self.questions += 1
        if self.broken:
            raise OSError("no database")
        answer = self.standings.get(place)
        await asyncio.sleep(0)
        self.before_answer()
        return [answer for _ in requests]

    async def live_keys(self, key_ids: Iterable[int]) -> frozenset[int]:
        return frozenset(self.keys & set(key_ids))


@asynccontextmanager
async def running(world: World) -> Any:
    hub = Hub(world)
    tasks = [asyncio.create_task(hubs.run_forever(each)) for each in hub.run()]
    yield hub
    for task in tasks:
        task.cancel()


def played(scene: Callable[[Hub, World], Awaitable[None]], **state: Any) -> None:
    async def play() -> None:
        world = World({HERE: Target(**state)})
        async with running(world) as hub:
            async with asyncio.timeout(20):
                await scene(hub, world)

    asyncio.run(play())


def uncut() -> None:
    raise AssertionError("the stream was cut")


async def joined(hub: Hub, ask: StreamRequest, cut: Callable[[], None]) -> Stream:
    stream = await hub.join(ask, cut)
    assert stream is not None
    return stream


async def names(stream: Stream) -> list[tuple[str, int]]:
    return [(name, data.get("version", 0)) for name, data in events_in(await stream.next())]


UPDATE_1 = [("contract_update", 1), ("ruleset_updated", 1)]
UPDATE_2 = [("contract_update", 2), ("ruleset_updated", 2)]


def test_an_update_has_the_events_that_each_sdk_reads():
    (update, data), (notice, named) = events_in(events.update_of(V1))
    assert (update, notice) == ("contract_update", "ruleset_updated")
    assert data["yaml_bytes"] == "YXBpVmVyc2lvbjogZWRpY3R1bS92MQo="
    assert "yaml" not in data
    assert (data["signature"], data["revision_hash"]) == (V1.signature, V1.revision_hash)
    assert (named["name"], named["version"]) == ("billing", 1)


def test_an_assignment_is_sent_in_the_formats_of_python_and_go():
    (plain, data), (flagged, for_go), (notice, _) = events_in(events.assignment_of(SAFE))
    assert (plain, data["bundle_name"]) == ("assignment_changed", "safe")
    assert (flagged, for_go["bundle_name"]) == ("contract_update", "safe")
    assert for_go["_assignment_changed"] is True
    assert notice == "ruleset_updated"


def test_the_largest_document_fits_the_shortest_line_limit_of_any_sdk():
    largest = replace(V1, document=bytes(512 * 1024))
    assert all(len(line) < 1_000_000 for line in events.update_of(largest).split(b"\n"))


def test_a_new_agent_gets_the_deployed_version_and_then_updates():
    async def scene(hub: Hub, world: World) -> None:
        stream = await joined(hub, stream_request(), uncut)
        assert await names(stream) == UPDATE_1
        world.standings[HERE] = Target(document=V2)
        hub.news(HERE)
        assert await names(stream) == UPDATE_2

    played(scene, document=V1)


def test_an_agent_that_is_up_to_date_gets_nothing_until_a_change():
    async def scene(hub: Hub, world: World) -> None:
        stream = await joined(hub, stream_request(revision=V1.revision_hash), uncut)
        hub.news(HERE)
        world.standings[HERE] = Target(document=V2)
        hub.news(HERE)
        assert await names(stream) == UPDATE_2
        hub.news()
        world.standings[HERE] = Target(document=V1)
        hub.news()
        assert await names(stream) == UPDATE_1

    played(scene, document=V1)


def test_a_new_signature_of_the_same_bytes_is_sent():
    async def scene(hub: Hub, world: World) -> None:
        stream = await joined(hub, stream_request(revision=V1.revision_hash), uncut)
        world.standings[HERE] = Target(document=replace(V1, signature="YW5vdGhlcg=="))
        hub.news(HERE)
        assert await names(stream) == UPDATE_1

    played(scene, document=V1)


def test_changes_in_another_environment_do_not_reach_the_stream():
    async def scene(hub: Hub, world: World) -> None:
        stream = await joined(hub, stream_request(revision=V1.revision_hash), uncut)
        world.standings[HERE] = Target(document=V2)
        before = world.questions
        hub.news(THERE)
        await asyncio.sleep(0.05)
        assert world.questions == before
        hub.news(HERE)
        assert await names(stream) == UPDATE_2

    played(scene, document=V1)


def test_a_change_during_the_lookup_is_not_missed():
    async def scene(hub: Hub, world: World) -> None:
        def deploy_meanwhile() -> None:
            if world.questions == 1:
                world.standings[HERE] = Target(document=V2)
                hub.news(HERE)

        world.before_answer = deploy_meanwhile
        stream = await joined(hub, stream_request(), uncut)
        assert await names(stream) == UPDATE_1
        assert await names(stream) == UPDATE_2

    played(scene, document=V1)


def test_simultaneous_streams_share_one_query():
    async def scene(hub: Hub, world: World) -> None:
        streams = await asyncio.gather(*(joined(hub, stream_request(), uncut) for _ in range(500)))
        assert world.questions == 1
        messages = {id(await stream.next()) for stream in streams}
        assert len(messages) == 1  # built once

    played(scene, document=V1)


def test_an_assignment_is_announced_once_and_then_updated():
    async def scene(hub: Hub, world: World) -> None:
        stream = await joined(hub, stream_request(bundle=""), uncut)
        world.standings[HERE] = Target(document=V1, by_assignment=True)
        hub.news(HERE)
        assert (await names(stream))[0] == ("assignment_changed", 0)
        world.standings[HERE] = Target(document=V2, by_assignment=True)
        hub.news(HERE)
        assert await names(stream) == UPDATE_2
        world.standings[HERE] = Target(document=SAFE, by_assignment=True)
        hub.news(HERE)
        assert (await names(stream))[0] == ("assignment_changed", 0)

    played(scene, by_assignment=True)


def test_a_stop_without_a_contract_is_sent_as_an_update_not_an_assignment():
    async def scene(hub: Hub, world: World) -> None:
        stream = await joined(hub, stream_request(""), uncut)
        ((first, stop), _) = events_in(await stream.next())
        assert (first, "_assignment_changed" in stop) == ("contract_update", False)
        assert stream.presence().revision == STOP.revision_hash
        world.standings[HERE] = Target(document=SAFE, by_assignment=True)
        hub.news(HERE)
        ((name, assigned), *_) = events_in(await stream.next())
        assert (name, assigned["bundle_name"]) == ("assignment_changed", "safe")

    played(scene, document=STOP, by_assignment=True)


def test_a_watcher_receives_the_names_of_all_contracts():
    async def scene(hub: Hub, world: World) -> None:
        stream = await joined(hub, stream_request(bundle="", watches=True), uncut)
        assert await names(stream) == [("ruleset_updated", 1)] * 2
        world.standings[HERE] = Target(others=(V2, SAFE))
        hub.news(HERE)
        assert await names(stream) == [("ruleset_updated", 2)]

    played(scene, others=(V1, SAFE))


def test_a_watcher_receives_more_names_than_the_queue_holds():
    many = tuple(replace(V1, bundle_name=f"b{n}") for n in range(3 * MOST_WAITING))

    async def scene(hub: Hub, _: World) -> None:
        stream = await joined(hub, stream_request("", watches=True), uncut)
        items = [data["name"] for _, data in events_in(await stream.next())]
        assert items == [each.name for each in many]

    played(scene, others=many)


def test_a_stream_with_a_forbidden_target_is_closed():
    async def scene(hub: Hub, world: World) -> None:
        world.standings[HERE] = None
        assert await hub.join(stream_request(), uncut) is None
        assert hub.streams() == []

    played(scene)


def test_a_database_outage_rejects_new_streams_and_keeps_open_ones():
    async def scene(hub: Hub, world: World) -> None:
        stream = await joined(hub, stream_request(), uncut)
        assert await names(stream) == UPDATE_1
        world.broken = True
        with pytest.raises(OSError, match="no database"):
            await joined(hub, stream_request(), uncut)
        hub.news(HERE)
        await asyncio.sleep(0.05)
        world.broken = False
        world.standings[HERE] = Target(document=V2)
        assert await names(stream) == UPDATE_2  # without another notification
        assert hub.streams() == [stream]

    played(scene, document=V1)


def test_a_stream_that_stops_reading_is_closed_without_delaying_others():
    async def scene(hub: Hub, world: World) -> None:
        cut: list[str] = []
        slow = await joined(hub, stream_request(agent="slow"), lambda: cut.append("slow"))
        quick = await joined(hub, stream_request(agent="quick"), uncut)
        for number in range(MOST_WAITING + 1):
            world.standings[HERE] = Target(
                document=replace(V2, version=2 + number, revision_hash=f"{number:064}")
            )
            hub.news(HERE)
            while (await names(quick))[0][1] != 2 + number:
                pass
        assert cut == ["slow"]
        assert await slow.next() == b""

    played(scene, document=V1)


def test_streams_close_when_their_keys_end(monkeypatch):
    monkeypatch.setattr(hubs, "KEYS_EVERY", 0.01)

    async def scene(hub: Hub, world: World) -> None:
        cut: list[int] = []
        world.keys = {1, 2}
        ended = await joined(hub, stream_request(key_id=2), lambda: cut.append(2))
        stays = await joined(hub, stream_request(key_id=1), uncut)
        await ended.next()
        await stays.next()
        world.keys = {1}
        assert await ended.next() == b""
        assert cut == [2]

    played(scene, document=V1)


def test_heartbeats_are_sent_to_every_idle_stream(monkeypatch):
    monkeypatch.setattr(hubs, "SLOT", 0.001)

    async def scene(hub: Hub, world: World) -> None:
        streams = [await joined(hub, stream_request(), uncut) for _ in range(hubs.SLOTS + 3)]
        for stream in streams:
            await stream.next()
        assert {await stream.next() for stream in streams} == {events.STILL_HERE}

    played(scene, document=V1)


@pytest.mark.parametrize("what", ["deployment", "comments"])
def test_the_event_loop_yields_while_many_streams_are_served(monkeypatch, what):
    monkeypatch.setattr(hubs, "SLOTS", 1)
    monkeypatch.setattr(hubs, "SLOT", 0.05 if what == "comments" else 60.0)
    many = 6 * hubs.HAND_OVER
    served_per_turn: list[int] = []

    async def scene(hub: Hub, world: World) -> None:
        revision = V1.revision_hash
        asks = [stream_request(revision=revision, agent=f"bot-{number}") for number in range(many)]
        streams = await asyncio.gather(*(joined(hub, ask, uncut) for ask in asks))
        world.standings[HERE] = Target(document=V2)
        if what == "deployment":
            hub.news()
        while sum(served_per_turn) < many:
            await asyncio.sleep(0)
            waiting = sum(bool(stream._waiting) for stream in streams)
            served_per_turn.append(waiting - sum(served_per_turn))

    played(scene, document=V1)
    assert max(served_per_turn) <= hubs.HAND_OVER


def test_shutdown_closes_all_streams_and_rejects_new_ones():
    async def scene(hub: Hub, world: World) -> None:
        cut: list[int] = []
        streams = [await joined(hub, stream_request(), lambda: cut.append(1)) for _ in range(3)]
        hub.stop()
        assert [await stream.next() for stream in streams] == [b""] * 3
        assert cut == [1] * 3
        with pytest.raises(Stopped):
            await joined(hub, stream_request(), uncut)

    played(scene, document=V1)


def test_a_message_is_built_once_for_all_streams():
    postbox = Postbox()
    first = postbox.message(events.update_of, V1)
    assert postbox.message(events.update_of, V1) is first
    assert postbox.message(events.notice_of, V1) != first
