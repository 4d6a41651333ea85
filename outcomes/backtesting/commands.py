"""Start, cancel and run backtests; they run in a background process."""

import resource
import sys
from dataclasses import replace
from hashlib import sha256
from typing import Any, Final, cast

from celery.exceptions import SoftTimeLimitExceeded
from django.db import transaction
from django.utils import timezone

from governance.audit_log import record
from governance.contracts.queries.versions import version_written
from governance.core.actor import Actor
from governance.core.errors import (
    DocumentInvalid,
    EvaluationEnded,
    EvaluationUnavailable,
    GovernanceError,
    InvalidInput,
    NotFound,
)
from governance.core.session_limits import LimitsOfRule, SessionRule, limits_of
from governance.evaluation.engine import Engine, Validation
from governance.evaluation.engine import validate as validated
from governance.people import policies
from governance.people.policies import Action
from governance.people.queries.projects import environments_by_id, project_numbered
from governance.texts.document import read_document
from outcomes.backtesting.replay.own_calls import own_calls
from outcomes.backtesting.replay.replay import Cancelled, Progress, Replay
from outcomes.backtesting.replay.selection import Selection
from outcomes.jobs import commands as jobs
from outcomes.models import Backtest
from outcomes.models.backtests import CallsUnder
from outcomes.models.jobs import WAITING
from outcomes.recorded_calls.commands import keep_changed_calls
from outcomes.recorded_calls.selection import CallCriteria, fit

MOST_WAITING: Final = 20


def start_backtest(
    project_id: int,
    *,
    by: Actor,
    document: bytes | str | None = None,
    version: int | None = None,
    criteria: CallCriteria,
    contract_only: bool = False,
    base: int | None = None,
    change: str = "",
) -> Backtest:
    """Queue a backtest of an unsaved text, or of a version given by its row id. For a text, `base`
    and `change` say which version it was made from, and how."""
    policies.refuse_unless(by, Action.WRITE_CONTRACT)
    written, name = _written(document, version)
    project = project_numbered(project_id)
    chosen = fit(project_id, criteria)
    with transaction.atomic():
        if Backtest.objects.filter(WAITING, project=project_id).count() >= MOST_WAITING:
            raise InvalidInput(
                f"{MOST_WAITING} backtests of this project are already queued. Cancel one, or wait."
            )
        backtest = Backtest.objects.create(
            project_id=project_id,
            bundle_name=name,
            version_id=version,
            base=base,
            change=change[:240],
            document=written,
            revision_hash=sha256(written).hexdigest(),
            environment_id=chosen.environment,
            since=criteria.since,
            until=chosen.until,
            agents=list(criteria.agents),
            tools=list(criteria.tools),
            calls_under=CallsUnder.CONTRACT if contract_only else CallsUnder.ALL,
            author=str(by)[:254],
            created_at=chosen.now,
        )
        details = {"revision_hash": backtest.revision_hash, "environment": criteria.environment}
        record(by, "backtest started", str(backtest), project=project, details=details)
    return backtest


@transaction.atomic
def cancel_backtest(project_id: int, number: int, *, by: Actor) -> Backtest:
    """Cancel a backtest, or return it unchanged if it has ended. Its process stops at its next
    progress report."""
    policies.refuse_unless(by, Action.WRITE_CONTRACT)
    ended = Backtest.objects.filter(WAITING, project=project_id, pk=number).update(
        status=Backtest.Status.CANCELLED, finished_at=timezone.now()
    )
    backtest = Backtest.objects.filter(project=project_id, pk=number).first()
    if backtest is None:
        raise NotFound("Backtest not found.")
    if ended:
        project = project_numbered(project_id)
        record(by, "backtest cancelled", str(backtest), project=project)
    return backtest


def waiting_backtests() -> list[int]:
    """Queued backtests, including requeued ones whose worker died."""
    jobs.requeue_lost(Backtest.objects.all())
    return jobs.waiting(Backtest.objects.all())


def run_backtest(number: int) -> None:
    backtest = jobs.claimed(Backtest.objects.all(), number)
    if backtest is not None:
        _run(backtest)


def _run(backtest: Backtest) -> None:
    began = jobs.processor_seconds()
    engine = Engine()
    try:
        document = read_document(bytes(backtest.document))
        read = engine.validate(document)
        if not read.valid:
            raise DocumentInvalid(read.errors)
        replay = Replay(
            _selection(backtest),
            document,
            limits_of(_session_rules(read), assume_sdk=True),
            environments=environments_by_id(backtest.project_id),
            engine=engine,
            report=lambda progress: _note(backtest, progress),
        )
        with replay:
            progress = replay.run()
        used = jobs.processor_seconds() - began  # the evaluation processes have ended by now
    except Cancelled:
        return
    except (KeyboardInterrupt, SystemExit):  # told to stop, so not a failed attempt
        jobs.put_back(backtest)
        raise
    except SoftTimeLimitExceeded:
        jobs.end(backtest, Backtest.Status.FAILED, error=jobs.TOO_LONG)
        return
    except (EvaluationEnded, EvaluationUnavailable) as error:
        jobs.try_again(backtest, str(error))
        return
    except GovernanceError as error:
        jobs.end(backtest, Backtest.Status.FAILED, error=str(error)[:500])
        return
    finally:
        engine.close()
    cost = {"cpu_seconds": round(used, 3), "memory_mb": _most_memory()}
    keep_changed_calls(backtest, progress.sums.changed_calls)
    _note(backtest, progress, result=progress.as_json() | cost)
    jobs.end(backtest, Backtest.Status.DONE)


def _selection(backtest: Backtest) -> Selection:
    """Calls to replay: the contract's own, or all calls of the period if it has none, which is
    better than an empty result."""
    all_calls = Selection(
        project=backtest.project_id,
        environment=backtest.environment_id,
        since=backtest.since,
        until=backtest.until,
        agents=tuple(backtest.agents),
        tools=tuple(backtest.tools),
    )
    if backtest.calls_under == CallsUnder.ALL:
        return all_calls
    own = own_calls(all_calls, backtest.bundle_name)
    jobs.note(backtest, calls_under=CallsUnder.CONTRACT if own else CallsUnder.ALL_INSTEAD)
    return replace(all_calls, some=own) if own else all_calls


def _most_memory() -> int:
    """Peak memory of this process in megabytes."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most // (1024 * 1024 if sys.platform == "darwin" else 1024)


def _note(backtest: Backtest, progress: Progress, **more: Any) -> bool:
    """Store the progress; False if the backtest was cancelled."""
    return jobs.note(
        backtest,
        total=progress.total,
        passed=progress.passed,
        drift=progress.sums.drift,
        not_replayed=sum(progress.sums.not_replayed.values()),
        **progress.sums.counts,
        **more,
    )


def _written(document: bytes | str | None, version: int | None) -> tuple[bytes, str]:
    if version is not None:
        written = version_written(version)
        if written is None:
            raise NotFound("Version not found.")
        return written.document, written.bundle
    text = document or b""
    name = _valid(text).name  # also rejects text that can't be encoded
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
