"""Start, cancel and finish jobs that check recorded calls again.

Each part is claimed by one process, independently of the others. The process that ends the last
part adds up the results.
"""

import json
import zlib
from collections.abc import Collection
from hashlib import sha256
from typing import Any, Final, cast

from django.db import transaction
from django.db.models import F, Sum
from django.utils import timezone

from governance.audit_log import record
from governance.checks.language.text import read_check
from governance.checks.queries.checks import judges
from governance.checks.queries.includes import Including
from governance.core.actor import Actor
from governance.core.compiled_check import Compiled
from governance.core.errors import DocumentInvalid, InvalidInput, NotFound, Problem
from governance.people import policies
from governance.people.policies import Action
from governance.people.queries.projects import project_numbered
from outcomes.jobs import doorbell
from outcomes.models import Rejudging, RejudgingPart
from outcomes.models.jobs import WAITING
from outcomes.reclassification.commands.flip_alerts import notice_flips
from outcomes.reclassification.queries.jobs import added_up
from outcomes.reclassification.selection import Chosen
from outcomes.recorded_calls.selection import CallCriteria, fit
from outcomes.stored.queries import CallFilter

MOST_WAITING: Final = 20
Status, Kind, Scope = Rejudging.Status, Rejudging.Kind, Rejudging.Scope
_VERBS: Final = {
    Kind.CHECK_BACKTEST.value: "check backtest",
    Kind.RECLASSIFICATION.value: "reclassification",
}


def start_check_backtest(
    project_id: int,
    *,
    by: Actor,
    text: bytes | str,
    scope: str = "",
    criteria: CallCriteria,
    version: int | None = None,
    newer: Collection[str] = (),
) -> Rejudging:
    """Queue an impact preview of this YAML or version, over the calls bound to the check's name or
    over all."""
    policies.refuse_unless(by, Action.WRITE_CHECK)
    document = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    including = Including(project_id, newer, version)
    checked = read_check(document, included_by=including.of, version=version or 0)
    if checked.compiled is None:
        raise DocumentInvalid(checked.problems)
    if not scope:
        bound = checked.name in judges(project_id).names
        scope = Scope.BOUND if bound else Scope.ALL
    if scope not in Scope.values:
        raise InvalidInput(
            "`scope` is `bound` (calls that this check is bound to) or `all`.",
            errors=[Problem(path="scope", message="bound or all")],
        )
    compiled = json.dumps(checked.compiled, separators=(",", ":")).encode()
    return _start(
        project_id,
        by,
        criteria,
        kind=Kind.CHECK_BACKTEST,
        check_name=checked.name,
        check_version=version,
        document=document,
        packed=zlib.compress(compiled),
        sha256=sha256(document).hexdigest(),
        scope=scope,
    )


def start_reclassification(project_id: int, *, by: Actor, criteria: CallCriteria) -> Rejudging:
    """Queue a reclassification of these calls by the checks that are bound now."""
    policies.refuse_unless(by, Action.WRITE_CHECK)
    return _start(project_id, by, criteria, kind=Kind.RECLASSIFICATION)


def _start(project_id: int, by: Actor, criteria: CallCriteria, **more: Any) -> Rejudging:
    project = project_numbered(project_id)
    chosen = fit(project_id, criteria)
    with transaction.atomic():
        if Rejudging.objects.filter(WAITING, project=project).count() >= MOST_WAITING:
            raise InvalidInput(f"{MOST_WAITING} are already queued. Cancel one, or wait.")
        rejudging = Rejudging(
            project=project,
            environment_id=chosen.environment,
            since=criteria.since,
            until=chosen.until,
            agents=list(criteria.agents),
            tools=list(criteria.tools),
            filters=criteria.call_filter.given(),
            author=str(by)[:254],
            created_at=chosen.now,
            **more,
        )
        calls = chosen_by(rejudging)
        rejudging.total = calls.to_read()
        shares = calls.shares(rejudging.total)
        if not shares:
            rejudging.status, rejudging.finished_at = Status.DONE, chosen.now
            rejudging.result = added_up([])
        rejudging.save()
        RejudgingPart.objects.bulk_create(
            RejudgingPart(rejudging=rejudging, number=number, first=share.first, last=share.last)
            for number, share in enumerate(shares)
        )
        details = {"environment": criteria.environment, "sha256": rejudging.sha256}
        verb = f"{_VERBS[rejudging.kind]} started"
        record(by, verb, str(rejudging), project=project, details=details)
    return rejudging


def ring_for_parts(rejudging: Rejudging) -> None:
    """Notify workers of each queued part."""
    waiting = RejudgingPart.objects.filter(WAITING, rejudging=rejudging).order_by("number")
    is_written = rejudging.kind == Kind.RECLASSIFICATION
    task = doorbell.RECLASSIFY if is_written else doorbell.CHECK_BACKTEST
    for part in waiting.values_list("pk", flat=True):
        doorbell.ring(task, part)


@transaction.atomic
def cancel_rejudging(project_id: int, number: int, kind: str, *, by: Actor) -> Rejudging:
    """Cancel a job; a job that has ended is returned unchanged. Chunks already written stay."""
    policies.refuse_unless(by, Action.WRITE_CHECK)
    mine = Rejudging.objects.filter(project=project_id, kind=kind, pk=number)
    ended = mine.filter(WAITING).update(status=Status.CANCELLED, finished_at=timezone.now())
    rejudging = mine.first()
    if rejudging is None:
        raise NotFound("Job not found.")
    if ended:
        parts = RejudgingPart.objects.filter(WAITING, rejudging=rejudging)
        parts.update(status=Status.CANCELLED, finished_at=timezone.now())
        add_up(rejudging)
        verb = (
            f"{'reclassification' if kind == Kind.RECLASSIFICATION else 'check backtest'} cancelled"
        )
        record(by, verb, str(rejudging), project=project_numbered(project_id))
    return rejudging


def chosen_by(rejudging: Rejudging) -> Chosen:
    return Chosen(
        project=rejudging.project_id,
        environment=rejudging.environment_id,
        since=rejudging.since,
        until=rejudging.until,
        agents=tuple(rejudging.agents),
        tools=tuple(rejudging.tools),
        call_filter=CallFilter(**rejudging.filters),
    )


def compiled_of(rejudging: Rejudging) -> Compiled:
    return cast(Compiled, json.loads(zlib.decompress(rejudging.packed)))


def left_without_a_part() -> list[int]:
    """Jobs that have not ended although all their parts have."""
    waiting = RejudgingPart.objects.filter(WAITING).values("rejudging")
    return list(
        Rejudging.objects.filter(WAITING).exclude(pk__in=waiting).values_list("pk", flat=True)
    )


def end_if_all_did(rejudging_id: int) -> None:
    """End the job if all its parts have ended, with their combined result."""
    with transaction.atomic():
        rejudging = Rejudging.objects.select_for_update().filter(pk=rejudging_id).first()
        parts = RejudgingPart.objects.filter(rejudging=rejudging_id)
        if rejudging is None or rejudging.has_ended or parts.filter(WAITING).exists():
            return
        failed = parts.filter(status=Status.FAILED).first()
        rejudging.status = Status.FAILED if failed else Status.DONE
        rejudging.error = failed.error if failed else ""
        rejudging.finished_at = timezone.now()
        rejudging.save(update_fields=["status", "error", "finished_at"])
        add_up(rejudging)
        notice_flips(rejudging)


def add_up(rejudging: Rejudging) -> None:
    parts = RejudgingPart.objects.filter(rejudging=rejudging).order_by("number")
    rejudging.result = added_up(part.result for part in parts)
    rejudging.passed = parts.aggregate(passed=Sum("passed"))["passed"] or 0
    rejudging.save(update_fields=["result", "passed"])


def begin(rejudging_id: int) -> None:
    Rejudging.objects.filter(pk=rejudging_id, status=Status.QUEUED).update(
        status=Status.RUNNING, started_at=timezone.now(), tries=F("tries") + 1
    )
