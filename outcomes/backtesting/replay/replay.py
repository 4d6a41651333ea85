"""Run of one backtest: read calls, evaluate them, count the changes, report progress.

While the evaluation processes answer for one chunk of calls, the next one is read.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Self

from governance.core.session_limits import SessionLimit
from governance.evaluation.engine import Engine
from governance.texts.document import Document
from outcomes.backtesting.domain.comparison import LET_THROUGH, drifts
from outcomes.backtesting.domain.limit_sums import LimitSums
from outcomes.backtesting.domain.session_replay import SessionReplay
from outcomes.backtesting.domain.sums import CallSummary, Span, Sums
from outcomes.backtesting.replay.answers import SIMPLE, Slot
from outcomes.backtesting.replay.questions import Answers, Looked, Questions
from outcomes.backtesting.replay.rows import Row
from outcomes.backtesting.replay.selection import Selection
from outcomes.core.moments import micros_of

REPORT_EVERY: Final = 0.5  # seconds
UNKNOWN_REASON: Final = "unknown"


class Cancelled(Exception):
    """The backtest was cancelled."""


@dataclass(frozen=True, slots=True)
class Progress:
    total: int  # calls of the period
    passed: int
    sums: Sums
    limits: LimitSums

    def as_json(self) -> dict[str, Any]:
        return self.sums.as_json() | {"session_limits": self.limits.as_json()}


class Replay:
    """Replay of the selected calls; `report` gets the progress twice a second and returns whether
    to continue.

    `engine` evaluates the document; the replay closes it.
    """

    def __init__(
        self,
        selection: Selection,
        document: Document,
        limits: tuple[SessionLimit, ...],
        *,
        environments: dict[int, str],
        engine: Engine,
        report: Callable[[Progress], bool],
    ) -> None:
        self._selection, self._limits = selection, limits
        self._environments, self._report = environments, report
        self._questions = Questions(document, environments, engine)
        extent = selection.extent()
        first, last = extent.first or selection.until, extent.last or selection.until
        span = Span(micros_of(first), micros_of(last))
        self._progress = Progress(extent.calls, 0, Sums(span), LimitSums(limits))
        self._passed = 0
        self._reported_at = 0.0
        self._session: int | None = None
        self._name = self._environment = ""
        self._before: dict[str, int] = {}
        self._replay = SessionReplay(())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._questions.close()

    def run(self) -> Progress:
        before: Answers | None = None
        for chunk in self._selection.chunks():
            answers = self._questions.ask(chunk, self._selection, partial(self._go_on, before))
            if before is not None:
                self._count(before)
            before = answers
        if before is not None:
            self._count(before)
        self._end_session()
        return self._now()

    def _go_on(self, before: Answers | None) -> None:
        if before is not None:
            before.push()
        self._say()

    def _count(self, answers: Answers) -> None:
        for _ in self._questions.arrived(answers):
            self._say()
        for call in answers.calls:
            if call.row.session != self._session:
                self._end_session()
                self._begin_session(call.row, answers.sessions)
            self._count_call(call)
        self._say()

    def _count_call(self, call: Looked) -> None:
        row, recorded, slot = call.row, call.recorded, call.chosen
        if self._selection.is_of_that_time(row):
            self._passed += 1
        sums = self._progress.sums
        if self._is_as_before(call) and (row.session is None or self._replay.passes(row)):
            sums.leave(row.tool, row.agent, row.at)
            self._note_missing(slot)
            return
        if row.session is None:
            self._replay = SessionReplay(())  # without a session, no earlier call counts
        if recorded is None or slot is None or slot.answer is None:
            if call.selected:
                why = slot.unanswered if recorded and slot else row.reason
                sums.leave_out(why or UNKNOWN_REASON)
            self._replay.pass_by(row)
            return
        before = call.deployed.answer if call.deployed else None
        result = self._replay.replay(
            row, recorded, slot.answer, output_before=before.output if before else "allow"
        )
        if row.session is not None:
            self._progress.limits.see(recorded, result)
        sums.add(
            self._summary_of(row),
            recorded,
            result,
            drifted=before is not None and drifts(recorded, before),
            observed=slot.answer.observed,
        )
        self._note_missing(slot)

    def _note_missing(self, slot: Slot | None) -> None:
        if slot is not None:
            for rule, what in slot.missing:
                self._progress.sums.lack(rule, what)

    @staticmethod
    def _is_as_before(call: Looked) -> bool:
        """Whether the call was allowed and still is, by the deployed rules too, as nearly all
        are."""
        chosen, deployed = call.chosen, call.deployed
        return (
            call.recorded is LET_THROUGH
            and chosen is not None
            and chosen.answer is SIMPLE
            and (deployed is None or deployed.answer is SIMPLE)
        )

    def _summary_of(self, row: Row) -> CallSummary:
        environment = self._environments.get(row.environment, "")
        return CallSummary(
            row.call_id, environment, self._name, row.tool, row.agent, row.at, row.id
        )

    def _begin_session(self, row: Row, sessions: dict[int, str]) -> None:
        self._session = row.session
        self._name = sessions.get(row.session, "") if row.session is not None else ""
        self._environment = self._environments.get(row.environment, "")
        self._before = dict(self._progress.sums.counts)
        self._replay = SessionReplay(self._limits)

    def _end_session(self) -> None:
        if self._session is None:
            return
        sums = self._progress.sums
        counts = {name: count - self._before[name] for name, count in sums.counts.items()}
        sums.end_session(self._environment, self._name, counts)
        if any(counts.values()):
            self._progress.limits.end_session(self._replay)
        self._session = None

    def _say(self) -> None:
        now = time.monotonic()
        if now < self._reported_at + REPORT_EVERY:
            return
        self._reported_at = now
        if not self._report(self._now()):
            raise Cancelled

    def _now(self) -> Progress:
        progress = self._progress
        return Progress(progress.total, self._passed, progress.sums, progress.limits)
