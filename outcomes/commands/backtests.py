"""Backtests: asked for, given up, and run by a process that nobody else waits for."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final, cast

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from governance import policies, queries
from governance.audit import record
from governance.domain.actor import Actor
from governance.domain.document import read_document
from governance.domain.errors import (
    DocumentInvalid,
    GovernanceError,
    InvalidInput,
    NotFound,
    Problem,
)
from governance.domain.session_limits import LimitsOfRule, SessionRule, limits_of
from governance.engine import Engine, Validation
from governance.engine import validate as validated
from governance.policies import Action
from governance.queries.projects import environments_by_id
from governance.queries.versions import version_written
from outcomes.backtests import Cancelled, Progress, Replay, Selection
from outcomes.models import Backtest

LOST_AFTER: Final = timedelta(seconds=30)
TRIES: Final = 3
MOST_GLOBS, LONGEST_GLOB = 50, 1_024
ENDED_UNDER_IT: Final = (
    f"The process that ran it ended {TRIES} times before it was done. "
    "Choose a shorter period, or see the worker's log."
)
WAITING: Final = Q(status__in=(Backtest.Status.QUEUED, Backtest.Status.RUNNING))
MOST_WAITING: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which calls; whatever is left out does not narrow them."""

    environment: str = ""
    since: datetime | None = None
    until: datetime | None = None
    agents: Sequence[str] = ()
    tools: Sequence[str] = ()


def start_backtest(
    project_id: int,
    *,
    by: Actor,
    document: bytes | str | None = None,
    version: int | None = None,
    wanted: Wanted,
) -> Backtest:
    """Of a text that is nowhere saved, or of a version, named by its row's id."""
    policies.refuse_unless(by, Action.WRITE_CONTRACT)
    written, name = _written(document, version)
    project = queries.project_numbered(project_id)
    environment = None
    if wanted.environment:
        environment = queries.environment_with(project, wanted.environment)
        if environment is None:
            raise _unfit("env", "There is no such environment.")
    now = timezone.now()
    until = wanted.until or now
    if wanted.since is not None and wanted.since >= until:
        raise _unfit("since", "The period ends before it begins.")
    for path, globs in (("agent", wanted.agents), ("tool", wanted.tools)):
        if len(globs) > MOST_GLOBS or any(
            not 0 < len(each) <= LONGEST_GLOB or "\0" in each for each in globs
        ):
            raise _unfit(path, f"At most {MOST_GLOBS} names of at most {LONGEST_GLOB} characters.")
    with transaction.atomic():
        if Backtest.objects.filter(WAITING, project=project_id).count() >= MOST_WAITING:
            raise InvalidInput(
                f"{MOST_WAITING} backtests of this project wait already: cancel one, or wait."
            )
        backtest = Backtest.objects.create(
            project_id=project_id,
            bundle_name=name,
            version_id=version,
            document=written,
            revision_hash=sha256(written).hexdigest(),
            environment_id=environment.pk if environment else None,
            since=wanted.since,
            until=until,
            agents=list(wanted.agents),
            tools=list(wanted.tools),
            author=str(by)[:254],
            created_at=now,
        )
        details = {"revision_hash": backtest.revision_hash, "environment": wanted.environment}
        record(by, "backtest started", str(backtest), project=project, details=details)
    return backtest


@transaction.atomic
def cancel_backtest(project_id: int, number: int, *, by: Actor) -> Backtest:
    """As it stands when it has ended already. Its process finds out at its next word."""
    policies.refuse_unless(by, Action.WRITE_CONTRACT)
    ended = Backtest.objects.filter(WAITING, project=project_id, pk=number).update(
        status=Backtest.Status.CANCELLED, finished_at=timezone.now()
    )
    found = Backtest.objects.filter(project=project_id, pk=number).first()
    if found is None:
        raise NotFound("There is no such backtest.")
    if ended:
        project = queries.project_numbered(project_id)
        record(by, "backtest cancelled", str(found), project=project)
    return found


def take_up_lost_backtests() -> bool:
    """Let those whose process has died wait again; whether any waits now."""
    if not Backtest.objects.filter(WAITING).exists():
        return False  # asked every few seconds, all day: nothing is to be written then
    now = timezone.now()
    lost = Backtest.objects.filter(
        status=Backtest.Status.RUNNING, heard_at__lt=now - LOST_AFTER
    ).order_by()
    lost.filter(tries__gte=TRIES).update(
        status=Backtest.Status.FAILED, finished_at=now, error=ENDED_UNDER_IT
    )
    lost.update(status=Backtest.Status.QUEUED)
    return Backtest.objects.filter(status=Backtest.Status.QUEUED).exists()


def run_waiting_backtests() -> int:
    """All that wait, one after the other; how many there were."""
    ran = 0
    while (backtest := _claimed()) is not None:
        _run(backtest)
        ran += 1
    return ran


def _claimed() -> Backtest | None:
    waiting = Backtest.objects.filter(status=Backtest.Status.QUEUED).order_by("id")
    while (number := waiting.values_list("id", flat=True).first()) is not None:
        now = timezone.now()
        taken = Backtest.objects.filter(pk=number, status=Backtest.Status.QUEUED).update(
            status=Backtest.Status.RUNNING, started_at=now, heard_at=now, tries=F("tries") + 1
        )
        if taken:
            return Backtest.objects.get(pk=number)
    return None


def _run(backtest: Backtest) -> None:
    began = _processor_seconds()
    engine = Engine()
    try:
        document = read_document(bytes(backtest.document))
        read = engine.validate(document)
        if not read.valid:
            raise DocumentInvalid(read.errors)
        replay = Replay(
            Selection(
                project=backtest.project_id,
                environment=backtest.environment_id,
                since=backtest.since,
                until=backtest.until,
                agents=tuple(backtest.agents),
                tools=tuple(backtest.tools),
            ),
            document,
            limits_of(_session_rules(read), assume_sdk=True),
            environments=environments_by_id(backtest.project_id),
            engine=engine,
            tell=lambda progress: _note(backtest, progress),
        )
        with replay:
            progress = replay.run()
        used = _processor_seconds() - began  # those who answered have ended by now
    except Cancelled:
        return
    except (KeyboardInterrupt, SystemExit):  # asked to stop, so this is no try that failed
        Backtest.objects.filter(pk=backtest.pk, status=Backtest.Status.RUNNING).update(
            status=Backtest.Status.QUEUED, tries=F("tries") - 1
        )
        raise
    except GovernanceError as error:
        _end(backtest, Backtest.Status.FAILED, error=str(error)[:500])
        return
    finally:
        engine.close()
    _note(backtest, progress, result=progress.as_json() | {"cpu_seconds": round(used, 3)})
    _end(backtest, Backtest.Status.DONE)


def _note(backtest: Backtest, progress: Progress, **more: Any) -> bool:
    """The figures so far; False when nobody wants to know more."""
    told = Backtest.objects.filter(pk=backtest.pk, status=Backtest.Status.RUNNING).update(
        heard_at=timezone.now(),
        total=progress.total,
        passed=progress.passed,
        drift=progress.sums.drift,
        not_replayed=sum(progress.sums.not_replayed.values()),
        **progress.sums.counts,
        **more,
    )
    return bool(told)


def _processor_seconds() -> float:
    """Of this process, and of those that it has started and that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def _end(backtest: Backtest, status: Backtest.Status, *, error: str = "") -> None:
    Backtest.objects.filter(pk=backtest.pk, status=Backtest.Status.RUNNING).update(
        status=status, finished_at=timezone.now(), error=error
    )


def _written(document: bytes | str | None, version: int | None) -> tuple[bytes, str]:
    if version is not None:
        found = version_written(version)
        if found is None:
            raise NotFound("There is no such version.")
        return found.document, found.bundle
    text = document or b""
    name = _valid(text).name  # refuses what could not be encoded, too
    return (text.encode() if isinstance(text, str) else text), name


def _valid(document: bytes | str) -> Validation:
    read = validated(document)
    if not read.valid:
        raise DocumentInvalid(read.errors)
    return read


def _session_rules(read: Validation) -> list[SessionRule]:
    return [
        SessionRule(id=rule.id, limits=cast(LimitsOfRule, rule.limits))
        for rule in read.session_rules
    ]


def _unfit(path: str, message: str) -> InvalidInput:
    return InvalidInput(message, errors=[Problem(path=path, message=message)])
