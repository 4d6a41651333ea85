"""Erase everything about one agent or principal in a bulk job, step by step.

The name is detached from its row first, so that new reports get a new row. Processes cache names
for a minute; what they still write under the old row is erased with the rest. Then the job erases
calls with their share of rollups and sessions, then events without a call, then what rollups still
hold of calls that retention removed.
"""

import logging
import secrets
from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError, transaction
from django.utils import timezone

from governance.audit_log import Detail, record
from governance.core.actor import CONSOLE, Actor
from governance.core.errors import Conflict, InvalidInput, NotFound
from governance.models import Project
from governance.people.policies import Action, refuse_unless
from outcomes.jobs import commands as jobs
from outcomes.models import Agent, Erasure, Principal, Session
from outcomes.models.jobs import WAITING
from outcomes.record.codec import digest_of
from outcomes.retention.commands import erased_calls, erased_rest, erased_sums
from outcomes.retention.commands.steps import Cursor, delete_rows
from outcomes.search.queries.progress import progress_of
from outcomes.stored import names

SETTLES_AFTER: Final = timedelta(seconds=names.REMEMBERED_FOR * 1.5)
ERASED: Final = "erased"  # name of a row that events of other agents' calls still reference
HELD: Final = "{:,} calls are on legal hold and stay. Lift the holds, then erase again."
Status, About = Erasure.Status, Erasure.About
_erasures: Final = Erasure.objects.all

logger = logging.getLogger(__name__)

Work = Callable[[Erasure, int, dict[str, Any]], Cursor | None]
# Calls are erased twice: again once no process caches the name any more.
_STAGES: Final[tuple[tuple[str, Work], ...]] = (
    ("calls", erased_calls.erase_calls),
    ("settled", lambda *_: None),
    ("late calls", erased_calls.erase_calls),
    ("events", erased_rest.erase_events),
    ("sums", erased_sums.erase_sums),
    ("rest", erased_rest.erase_rest),
)


class ErasureLost(Exception):
    """Another process has claimed the job."""


@transaction.atomic
def start_erasure(project: Project, *, about: str, name: str, typed: str, by: Actor) -> Erasure:
    """Erase everything about this agent or principal; it cannot be undone."""
    refuse_unless(by, Action.MANAGE_RETENTION)
    if about not in About.values:
        raise InvalidInput.at("about", f"`about` is one of {', '.join(About.values)}.")
    if " ".join(typed.split()) != " ".join(name.split()):
        raise InvalidInput.at("typed", "Type the name exactly as shown.")
    row = row_named(project, about, name)
    if row is None:
        raise NotFound(f"{about.capitalize()} not found.")
    if _erasures().filter(WAITING, project=project, about=about, digest=row.digest).exists():
        raise Conflict("This erasure is in progress.")
    erasure = _erasures().create(
        project=project,
        about=about,
        name=name,
        digest=bytes(row.digest),
        author=str(by)[:320],
        created_at=timezone.now(),
        result={"row": row.pk, "stage": 0, "cursor": None, "erased": {}},
    )
    _give_up_name(row)
    record(by, "erasure started", subject_of(erasure), project=project)
    return erasure


def row_named(project: Project, about: str, name: str) -> Agent | Principal | None:
    model = Agent if about == About.AGENT else Principal
    rows = model._default_manager.filter(project=project, digest=digest_of(name))
    return rows.first()


def subject_of(erasure: Erasure) -> str:
    """Digest that readers who know the name can match, and that reveals it to no one else."""
    return f"{erasure.about} {bytes(erasure.digest).hex()}"


def waiting_erasures() -> list[int]:
    jobs.requeue_lost(_erasures())
    waiting = _erasures().filter(pk__in=jobs.waiting(_erasures()))
    return [erasure.pk for erasure in waiting.order_by("pk") if _is_due(erasure)]


def run_erasure(number: int) -> bool:
    """Run an erasure for one turn; False if the turn ended before the work did."""
    erasure = jobs.claimed(_erasures(), number)
    if erasure is None:
        return True
    turn = jobs.Turn()
    try:
        while _is_due(erasure) and _step(erasure):
            if turn.is_over():
                jobs.put_back(erasure)
                return False
        if erasure.result["stage"] < len(_STAGES):
            jobs.put_back(erasure)  # the sweep enqueues it again once it is due
    except ErasureLost:
        pass
    except (KeyboardInterrupt, SystemExit, SoftTimeLimitExceeded):
        jobs.put_back(erasure)
        raise
    except Exception as error:
        logger.exception("Erasure %d failed and will be retried", number)
        jobs.try_again(erasure, f"{type(error).__name__}: {error}")
    return True


def _is_due(erasure: Erasure) -> bool:
    stage = erasure.result["stage"]
    if stage >= len(_STAGES):
        return False
    if _STAGES[stage][0] == "settled":
        return timezone.now() >= erasure.created_at + SETTLES_AFTER
    # Calls of a principal are found with the search index, which must be complete.
    if erasure.about == About.PRINCIPAL and _STAGES[stage][1] is erased_calls.erase_calls:
        progress = progress_of(erasure.project_id)
        return not progress.events and progress.back_to is None
    return True


def _step(erasure: Erasure) -> bool:
    """Run one step; False once all stages are done."""
    for _ in range(jobs.TRIES):
        result = erasure.result
        try:
            with transaction.atomic():
                return _one_step(erasure)
        except OperationalError:
            erasure.result = result
            logger.warning("A step of erasure %d is retried", erasure.pk, exc_info=True)
    raise OperationalError("A step was locked out again and again.")


def _one_step(erasure: Erasure) -> bool:
    result = {**erasure.result, "erased": dict(erasure.result["erased"])}
    cursor = _STAGES[result["stage"]][1](erasure, result["row"], result)
    result["cursor"] = cursor
    if cursor is None:
        result["stage"] += 1
    passed = sum(result["erased"].values())
    if not jobs.note(erasure, result=result, passed=passed, tries=1):
        raise ErasureLost
    erasure.result = result
    if result["stage"] == len(_STAGES):
        _end(erasure)
        return False
    return True


def _end(erasure: Erasure) -> None:
    erased = erasure.result["erased"]
    held = erased.pop("held", 0)
    if not held:
        _erase_name(erasure)
    error = HELD.format(held) if held else ""
    jobs.held(erasure).update(name="")
    jobs.end(erasure, Status.FAILED if held else Status.DONE, error=error)
    details: dict[str, Detail] = dict(erased)
    subject = subject_of(erasure)
    record(CONSOLE, "erasure ended", subject, project=erasure.project,
           details=details | ({"held_calls": held} if held else {}))  # fmt: skip


def _give_up_name(row: Agent | Principal) -> None:
    """Detach the name from its row, so that new reports get a row of their own."""
    row.digest, row.name = secrets.token_bytes(16), ERASED
    row.save(update_fields=["digest", "name"])
    names.forget()


def _erase_name(erasure: Erasure) -> None:
    """Delete the row without cascades, which would silently delete everything that references
    it."""
    number = erasure.result["row"]
    if erasure.about == About.PRINCIPAL:
        delete_rows(Principal.objects.filter(pk=number))
    elif not erasure.result.get("others"):
        Session.objects.filter(agent=number).update(agent=None)
        delete_rows(Agent.objects.filter(pk=number))
