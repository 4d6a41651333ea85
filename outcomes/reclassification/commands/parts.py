"""Run the parts of a job: read calls, check them and, for a reclassification, write verdicts."""

import time
from collections.abc import Sequence, Set
from itertools import count, islice
from typing import Any, Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, transaction

from governance.checks.language.named import NamedCheck
from governance.checks.queries.checks import judges
from governance.core.errors import GovernanceError
from governance.delivery.queries.governing import Governing
from governance.people.queries.projects import environments_by_id
from outcomes.artifacts.commands.contents import Contents
from outcomes.artifacts.queries.outputs import outputs_of
from outcomes.database import CALLS_PER_COMMIT
from outcomes.jobs import commands as jobs
from outcomes.models import Rejudging, RejudgingPart
from outcomes.reclassification.classifying import (
    CheckFor,
    Judged,
    Judging,
    check_by_text,
    checks_by_binding,
)
from outcomes.reclassification.commands import verdicts as reclassifying
from outcomes.reclassification.commands.jobs import (
    begin,
    chosen_by,
    compiled_of,
    end_if_all_did,
    left_without_a_part,
)
from outcomes.reclassification.domain.flips import CallSummary, Flips
from outcomes.reclassification.domain.shifts import Readings, Shifts
from outcomes.reclassification.selection import Chunk, Place, Share, place_of
from outcomes.record.call_columns import Row
from outcomes.record.codec import step_from
from outcomes.sessions.commands.long_sessions import LongSessions
from outcomes.sessions.commands.readings import SessionGone

AT_ONCE: Final[int] = CALLS_PER_COMMIT
REPORT_EVERY: Final = 0.5  # seconds
TRIES: Final = 5  # of a transaction that conflicts with another one
STORE_TRIES: Final = 60  # sweeps (five minutes) at one cursor while the artifact store is down
VERDICTS_STAY: Final = (
    "Calls with such an output keep their verdicts; fix the cause, then start it again."
)
Status = RejudgingPart.Status
_parts: Final = RejudgingPart.objects.all

CallVerdict = tuple[Row, Judged | None]


class Cancelled(Exception):
    """The job was cancelled."""


class _StoreUnavailable(Exception):
    """The artifact store currently can't return an output."""


class _Overtaken(Exception):
    """Some calls changed since they were read, so the transaction is rolled back."""

    def __init__(self, calls: Set[int]) -> None:
        super().__init__(calls)
        self.calls = calls


def waiting_parts(kind: Rejudging.Kind) -> list[int]:
    """Ids of queued parts, including those whose worker died."""
    jobs.requeue_lost(_parts())
    # A process may have died after ending the last part, but before ending the job.
    for rejudging in left_without_a_part():
        end_if_all_did(rejudging)
    return jobs.waiting(_parts().filter(rejudging__kind=kind))


def run_part(number: int) -> bool:
    """Run a part. False if its turn ended first; it is queued again and resumes at its cursor."""
    part = jobs.claimed(_parts(), number)
    return part is None or _run(part)


def _run(part: RejudgingPart) -> bool:
    rejudging = Rejudging.objects.filter(pk=part.rejudging_id).first()
    if rejudging is None:
        return True  # deleted with its project
    begin(rejudging.pk)
    try:
        work = _Work(rejudging, part)
        if not work.run():
            jobs.put_back(part)
            return False
    except Cancelled:
        return True
    except _StoreUnavailable:
        jobs.put_back(part)  # the next sweep queues it again
        return True
    except SoftTimeLimitExceeded:
        jobs.end(part, Status.FAILED, error=jobs.TOO_LONG)
    except (KeyboardInterrupt, SystemExit):
        jobs.put_back(part)
        raise
    except GovernanceError as error:
        jobs.end(part, Status.FAILED, error=str(error)[:500])
    else:
        _end(part, work.fault)
    end_if_all_did(rejudging.pk)
    return True


def _end(part: RejudgingPart, fault: str) -> None:
    """End a part. If the store could not return some outputs, their calls keep their verdicts and
    the part fails with the reason."""
    if fault:
        jobs.end(part, Status.FAILED, error=f"{fault} {VERDICTS_STAY}"[:500])
    else:
        jobs.end(part, Status.DONE)


class _Work:
    """One part. Verdicts and their counts are written in one transaction with the cursor, so
    another process can resume the part there."""

    def __init__(self, rejudging: Rejudging, part: RejudgingPart) -> None:
        self._project, self._part = rejudging.project_id, part
        self._writes = rejudging.kind == Rejudging.Kind.RECLASSIFICATION
        self._chosen = chosen_by(rejudging)
        self._share = Share(part.first, part.last)
        self._environments = environments_by_id(self._project)
        self._governing = Governing(self._environments)
        self._long = LongSessions(self._governing)
        self._check_for = None if self._writes else self._check_of_text(rejudging)
        # A reclassification resumes after the calls written; a preview starts again.
        stored = part.result if self._writes else {}
        self._after = place_of(part.place) if self._writes else None
        self._flips = Flips.from_json(stored.get("flips", {}))
        self._shifts = Shifts.from_json(stored.get("shifts", {}))
        self._passed = part.passed if self._after else 0
        self._seconds = stored.get("cpu_seconds", 0.0)
        self._fault: str = stored.get("fault", "")
        self._store_tries: int = stored.get("store_tries", 0)
        self._began = jobs.processor_seconds()
        self._reported_at = self._heard_at = time.monotonic()
        self._session: int | None = None
        self._readings = Readings(())

    @property
    def fault(self) -> str:
        """Why some outputs could not be read; empty if all were."""
        return self._fault

    def _check_of_text(self, rejudging: Rejudging) -> CheckFor:
        bound = rejudging.scope == Rejudging.Scope.BOUND
        check = NamedCheck(compiled_of(rejudging))
        return check_by_text(check, judges(self._project) if bound else None)

    def run(self) -> bool:
        """Process the part. False if its turn ended first. A preview can't resume and a person
        waits for it, so it runs to its end."""
        turn = jobs.Turn()
        for chunk in self._chosen.chunks(self._share, self._after):
            verdicts = self._judged(chunk)
            if self._writes:
                self._write(chunk, verdicts)
                if turn.is_over():
                    return False
                continue
            for each in verdicts:
                self._see(chunk, each)
            if time.monotonic() > self._reported_at + REPORT_EVERY:
                self._note()
        self._end_session()
        if not self._writes:
            self._note()
        return True

    def _judged(self, chunk: Chunk) -> list[CallVerdict]:
        chosen = self._chosen.among(chunk.rows)
        recorded = outputs_of(chosen)
        contents = Contents()
        contents.learn((self._project, row.artifact_name) for row in chosen if row.artifact_name)
        criteria = {row.id for row in chosen}
        judging = self._judging_now()
        verdicts: list[CallVerdict] = []
        for row in chunk.rows:
            judged = None
            if row.id in criteria:
                judged = judging.judge(
                    row, recorded, lambda artifact: contents.value_or_fault(self._project, artifact)
                )
                self._note_fault(contents)
                self._be_heard()
            verdicts.append((row, judged))
        return verdicts

    def _note_fault(self, contents: Contents) -> None:
        """Record why outputs could not be read. A preview ends with the reason, as a person waits
        for it; a reclassification first waits for the store to return."""
        can_wait = self._writes and not self._fault and self._store_tries < STORE_TRIES
        if contents.is_away and can_wait:
            self._store_tries += 1
            self._note()
            raise _StoreUnavailable
        self._fault = self._fault or contents.fault

    def _judging_now(self) -> Judging:
        """Checks bound now. Call it after reading the rows, so that a verdict is never overwritten
        by that of an older version."""
        check_for = self._check_for or checks_by_binding(judges(self._project))
        return Judging(check_for, self._environments)

    def _be_heard(self) -> None:
        """Send a heartbeat, also during slow checks. Without it, the process would be considered
        dead and would not notice a cancellation."""
        now = time.monotonic()
        if now > self._heard_at + REPORT_EVERY:
            self._heard_at = now
            if not jobs.note(self._part):
                raise Cancelled

    def _write(self, chunk: Chunk, verdicts: Sequence[CallVerdict]) -> None:
        pieces = iter(verdicts)
        while piece := list(islice(pieces, AT_ONCE)):
            self._long.load(row.session for row, _ in piece if row.session is not None)
            self._commit(chunk, piece, Chunk([row for row, _ in piece], {}).place)

    def _commit(self, chunk: Chunk, piece: list[CallVerdict], place: Place) -> None:
        """Write verdicts; calls that changed meanwhile are checked again in their new state."""
        for tried in count(1):
            try:
                with transaction.atomic():
                    judged = [(row, judgement) for row, judgement in piece if judgement is not None]
                    overtaken = reclassifying.reclassify(judged, self._governing, self._long)
                    if overtaken and tried < TRIES:
                        raise _Overtaken(overtaken)
                    for row, judgement in piece:
                        is_left = judgement is not None and row.id in overtaken
                        self._count(
                            chunk, (row, judgement.left() if judgement and is_left else judgement)
                        )
                    self._store_tries = 0
                    self._note(place=place.as_json(), tries=1)
                self._long.note_written()
                return
            except _Overtaken as changed:
                self._long.roll_back()
                piece = self._judged_again(chunk, piece, changed.calls)
            except (OperationalError, SessionGone):
                if tried >= TRIES:
                    raise
                self._long.roll_back()
                self._restore_counts()
                time.sleep(0.1 * tried)
                piece = self._judged_again(chunk, piece, {row.id for row, _ in piece})

    def _restore_counts(self) -> None:
        """Discard counts of a rolled-back transaction."""
        stored = RejudgingPart.objects.get(pk=self._part.pk)
        self._flips = Flips.from_json(stored.result.get("flips", {}))
        self._passed = stored.passed if stored.place else 0

    def _judged_again(
        self, chunk: Chunk, piece: list[CallVerdict], calls: Set[int]
    ) -> list[CallVerdict]:
        rows = self._chosen.again(calls)
        unchanged = [each for each in piece if each[0].id not in calls]
        return unchanged + self._judged(Chunk(rows, chunk.sessions))

    def _see(self, chunk: Chunk, verdict: CallVerdict) -> None:
        """Count a call, and advance its session's limits with both verdicts."""
        row, judged = verdict
        if row.session != self._session:
            self._end_session()
            self._begin_session(chunk, row)
        self._count(chunk, verdict)
        if row.session is None:
            return
        step = step_from(
            row.tool,
            row.kind,
            row.verdict,
            row.reported,
            row.classified,
            row.reason,
            row.rule,
            row.from_sdk,
            row.version,
        )
        after = step.verdict if judged is None else judged.change.after
        self._readings.advance(step, after, checked=judged is not None and judged.checked)

    def _count(self, chunk: Chunk, verdict: CallVerdict) -> None:
        row, judged = verdict
        if self._chosen.since is None or row.at >= self._chosen.since:
            self._passed += 1
        if judged is None:
            return
        session = chunk.sessions.get(row.session) if row.session is not None else None
        call = CallSummary(
            row.call_id,
            self._environments.get(row.environment, ""),
            session.name if session else "",
            row.tool,
            row.agent,
            row.at,
        )
        self._flips.add(call, judged.change)

    def _begin_session(self, chunk: Chunk, row: Row) -> None:
        self._session = row.session
        if row.session is None:
            return
        known = chunk.sessions[row.session]
        self._session_named = self._environments.get(row.environment, ""), known.name
        self._readings = Readings(self._governing.limits_of(known.version))

    def _end_session(self) -> None:
        if self._session is not None:
            self._shifts.end_session(*self._session_named, self._readings)
        self._session = None

    def _note(self, **more: Any) -> None:
        self._reported_at = time.monotonic()
        result = {
            "flips": self._flips.as_json(),
            "shifts": self._shifts.as_json(),
            "cpu_seconds": self._seconds + jobs.processor_seconds() - self._began,
            "fault": self._fault,
            "store_tries": self._store_tries,
        }
        if not jobs.note(self._part, passed=self._passed, result=result, **more):
            raise Cancelled
