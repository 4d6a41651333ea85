"""Decoding of a claim: its events, calls and verdicts, computed before anything is written.

Its only side effects are harmless if the claim is rolled back: large outputs are stored as
artifacts, and stored artifacts are read for checks.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Self

from governance.checks.domain import DEFAULT, Judgement, SuccessCheck
from governance.checks.queries.checks import CannotJudge, Judges, judges
from governance.core.json_value import Json
from outcomes.artifacts.commands.contents import ArtifactKey, Contents
from outcomes.database import IS_SERVER
from outcomes.models.inbox import ORDERS_PER_BATCH
from outcomes.record import codec
from outcomes.record.call import Call
from outcomes.record.classification import classify
from outcomes.record.codec import Verdicts, digest_of, verdicts_of
from outcomes.record.event import Event, Posted
from outcomes.record.fold import fold
from outcomes.record.outcome import ToolArtifactReference
from outcomes.settling.claims import Claimed, after, at_work, is_full

SECONDS_OF_A_CHECK: Final = 5.0  # CPU time in one claim; enough for a thousand slow outputs
SECONDS_OF_A_PROJECT: Final = 15.0


@dataclass(slots=True)
class _Spent:
    seconds: float = 0.0


class _Timed:
    """A check with a CPU budget."""

    def __init__(self, check: SuccessCheck, of_project: _Spent) -> None:
        self.name, self.version = check.name, check.version
        self._judge = check.judge
        self._spent, self._of_project = 0.0, of_project

    def judge(self, tool_name: str, output: Json, elapsed_ms: float | None = None) -> Judgement:
        if self._spent > SECONDS_OF_A_CHECK or self._of_project.seconds > SECONDS_OF_A_PROJECT:
            raise CannotJudge("too much work arrived at once. Reclassify this period to check it.")
        began = time.thread_time()
        try:
            return self._judge(tool_name, output, elapsed_ms)
        finally:
            took = time.thread_time() - began
            self._spent += took
            self._of_project.seconds += took


@dataclass(slots=True)
class Patience:
    _checks: dict[tuple[int, str], _Timed] = field(default_factory=dict)
    _projects: dict[int, _Spent] = field(default_factory=lambda: defaultdict(_Spent))

    def with_(self, project: int, check: SuccessCheck) -> SuccessCheck:
        if check is DEFAULT:
            return check
        key = (project, check.name)
        timed = self._checks.get(key)
        if timed is None:
            timed = self._checks[key] = _Timed(check, self._projects[project])
        return timed


CallKey = tuple[int, bytes]  # environment, digest of the call id


@dataclass(frozen=True, slots=True)
class Reported:
    """One accepted item, decoded."""

    event: Event
    packed: bytes
    batch: Claimed


@dataclass(frozen=True, slots=True)
class ReportedCall:
    """A call as reported by this claim. Most calls are reported by a single claim."""

    call: Call
    verdicts: Verdicts
    project: int
    environment: int
    received_at: datetime
    digest: bytes  # of the call id
    is_bound: bool  # the check came from a binding


@dataclass(slots=True)
class Reading:
    events: dict[CallKey, list[Reported]] = field(default_factory=lambda: defaultdict(list))
    calls: dict[CallKey, ReportedCall] = field(default_factory=dict)
    contents: Contents = field(default_factory=Contents)
    environments: dict[int, str] = field(default_factory=dict)
    judges: dict[int, Judges] = field(default_factory=dict)  # by project
    patience: Patience = field(default_factory=Patience)
    items: int = 0


@dataclass(slots=True)
class ReadBatch:
    """One batch, decoded independently of other batches and the database."""

    reported: list[tuple[CallKey, Reported]] = field(default_factory=list)
    outputs: list[tuple[bytes, str]] = field(default_factory=list)  # too large to inline
    referred: list[ArtifactKey] = field(default_factory=list)


def read_batch(batch: Claimed) -> ReadBatch:
    read = ReadBatch()
    first = batch.id * ORDERS_PER_BATCH
    for index, raw in enumerate(codec.unpack_batch(batch.body)):
        event = codec.read_item(raw, batch.source, batch.sender, first + index)
        offloaded = codec.offload(event, raw)
        if offloaded is None:
            packed = codec.pack_item(raw)
        else:
            event, packed, content, media_type = offloaded
            read.outputs.append((content, media_type))
        key = (batch.environment, digest_of(event.call_id))
        read.reported.append((key, Reported(event, packed, batch)))
        if isinstance(event.report, Posted):
            outcome = event.report.outcome
            if isinstance(outcome, ToolArtifactReference):
                read.referred.append((batch.project, outcome.artifact_id))
    return read


def read(batches: list[Claimed], ahead: Mapping[int, ReadBatch]) -> Reading:
    """Decode a claim, except for batches that were prefetched: batches never change."""
    reading = Reading()
    referred: list[ArtifactKey] = []
    for batch in batches:
        reading.environments[batch.environment] = batch.sender.environment
        own = ahead.get(batch.id) or read_batch(batch)
        for key, reported in own.reported:
            reading.events[key].append(reported)
        if own.outputs:
            reading.contents.keep(batch.project, own.outputs)
        reading.items += len(own.reported)
        referred += own.referred
    reading.contents.learn(referred)
    reading.judges = {project: judges(project) for project in {each.project for each in batches}}
    for key, reports in reading.events.items():
        call = fold([each.event for each in reports])
        if call is not None:
            batch = reports[0].batch  # accepted first
            verdicts, is_bound = judged(call, reading, batch.project, batch.environment)
            reading.calls[key] = ReportedCall(
                call,
                verdicts,
                batch.project,
                batch.environment,
                batch.sender.received_at,
                key[1],
                is_bound,
            )
    return reading


def judged(call: Call, reading: Reading, project: int, environment: int) -> tuple[Verdicts, bool]:
    """Verdicts of the check that now applies to this call, and whether a binding selected it."""
    name = reading.environments[environment]
    account = call.account
    check = reading.judges[project].check_for(name, account.agent_id, account.tool_name)
    timed = reading.patience.with_(project, check)
    verdicts = verdicts_of(
        classify(call, timed, lambda artifact: reading.contents.value_of(project, artifact))
    )
    return verdicts, check is not DEFAULT


log = logging.getLogger(__name__)


class Ahead:
    """Prefetch of the next claim. It claims nothing: if another worker settles a batch first,
    decoding it was wasted."""

    def __init__(self) -> None:
        self._read: dict[int, ReadBatch] = {}
        self._left: Iterator[None] = iter(())

    def start(self, settled: int, *, last: int) -> None:
        """Start prefetching batches after this claim's last one, if the claim was full."""
        if IS_SERVER and is_full(settled):
            self._left = self._reading(after(last))

    def go_on(self) -> bool:
        """Decode one more batch. False if none is left."""
        return next(self._left, "") is None

    def take(self) -> Mapping[int, ReadBatch]:
        """Batches decoded so far. Settling decodes the rest."""
        read, self._read, self._left = self._read, {}, iter(())
        return read

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.take()

    def _reading(self, batches: list[Claimed]) -> Iterator[None]:
        try:
            with at_work(batch.id for batch in batches):
                for batch in batches:
                    self._read[batch.id] = read_batch(batch)
                    yield
        except Exception:
            # Settling will report the error if it persists.
            log.info("Prefetching the next claim failed", exc_info=True)
