"""Approvals: asked for by an agent, decided by a person or a key, and run out by our own clock.

Who ends one locks its row first and looks at the clock then, so of two deciders, or of one and the
end of its time, exactly one finds it still waiting.
"""

import secrets
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction
from django.utils import timezone

from governance.approvals.domain import (
    DEEPEST,
    Request,
    as_text,
    digest_of,
    is_deeper_than,
    shown_arguments,
)
from governance.approvals.queries import due_approvals
from governance.audit_log import record
from governance.core.actor import CONSOLE, Actor, ActorKind, shown
from governance.core.approval_status import Status
from governance.core.errors import Conflict, InvalidInput, Problem
from governance.core.json_value import Json
from governance.core.masking import Masking
from governance.core.texts import can_be_kept
from governance.models import Approval, Environment
from governance.models.approvals import stored
from governance.people.policies import Action, refuse_unless

# The SDKs try three times, wait 30 s for each answer, and pause in between.
SENT_AGAIN_WITHIN: Final = timedelta(seconds=100)
LONGEST_ARGUMENTS: Final = 1_048_576  # characters of JSON
LONGEST_MESSAGE: Final = 4_096
LONGEST_REASON: Final = 2_000
LONGEST_TIMEOUT: Final = 366 * 24 * 60 * 60
AT_ONCE: Final = 200


def ask(request: Request, *, environment_id: int) -> tuple[Approval, bool]:
    """The approval that waits for this request, and whether it is new: a request that was sent
    again, because its answer was lost, is folded into the one that waits already."""
    text = _refuse_misfits(request)
    digest = digest_of(request)
    with transaction.atomic():
        # Its row is the queue of those who ask: of two equal requests the later finds the earlier.
        environment = Environment.objects.select_for_update(no_key=True).get(pk=environment_id)
        now = timezone.now()
        waiting = Approval.objects.filter(
            environment=environment,
            digest=digest,
            status=Status.PENDING,
            ends_at__gt=now,
            created_at__gt=now - SENT_AGAIN_WITHIN,
        ).first()
        if waiting is not None:
            return waiting, False
        return _save(request, text, digest, environment, now), True


@transaction.atomic
def decide(approval: Approval, *, approve: bool, by: Actor, reason: str = "") -> Approval:
    refuse_unless(by, Action.DECIDE_APPROVAL)
    reason = _reason(reason)
    row = _locked(approval)
    now = timezone.now()
    _refuse_ended(row, now)
    row.status = Status.APPROVED if approve else Status.DENIED
    row.ends_at, row.reason = now, reason
    row.decided_by = str(by).removeprefix(f"{ActorKind.PERSON}:")[:320]
    row.save(update_fields=["status", "ends_at", "reason", "decided_by"])
    done = "approval granted" if approve else "approval rejected"
    record(by, done, row.code, project=row.project, details=_told(row) | {"reason": reason})
    return row


def current(approval: Approval) -> Approval:
    """As it stands now. That its time ran out is written before it is told, so that nobody who
    decides at that moment can make it untrue."""
    is_due = approval.status == Status.PENDING and approval.ends_at <= timezone.now()
    return _expire(approval) if is_due else approval


def expire_approvals() -> int:
    """Note those whose time ran out although nobody asks for them any more; how many."""
    due = due_approvals(timezone.now(), AT_ONCE)
    return sum(_expire(approval).status == Status.TIMEOUT for approval in due)


@transaction.atomic
def open_arguments(approval: Approval, *, by: Actor) -> Mapping[str, Json]:
    """The arguments as they came; who opened them is in the audit log."""
    refuse_unless(by, Action.OPEN_VALUE)
    record(by, "arguments opened", approval.code, project=approval.project, details=_told(approval))
    return approval.raw_arguments()


@transaction.atomic
def _expire(approval: Approval) -> Approval:
    row = _locked(approval)
    if row.standing_at(timezone.now()) is Status.TIMEOUT and row.status == Status.PENDING:
        row.status = Status.TIMEOUT
        row.save(update_fields=["status"])
        record(CONSOLE, "approval timed out", row.code, project=row.project, details=_told(row))
    return row


def _locked(approval: Approval) -> Approval:
    rows = Approval.objects.select_related("environment", "project").defer("arguments")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=approval.pk)


def _refuse_ended(approval: Approval, now: datetime) -> None:
    match approval.standing_at(now):
        case Status.PENDING:
            return
        case Status.TIMEOUT:
            raise Conflict("Nobody decided in time; the agent has gone on.", code="expired")
        case status:
            word = "approved" if status is Status.APPROVED else "rejected"
            raise Conflict(f"{shown(approval.decided_by)} {word} this before.", code="decided")


def _save(
    request: Request, text: str, digest: bytes, environment: Environment, now: datetime
) -> Approval:
    return Approval.objects.create(
        project_id=environment.project_id,
        environment=environment,
        code=secrets.token_hex(16),
        agent_id=request.agent_id,
        session_id=request.session_id,
        tool_name=request.tool_name,
        arguments=text,
        shown=stored(shown_arguments(request.tool_args)),
        argument_count=len(request.tool_args),
        message=_cut(Masking(dict(request.tool_args)).text(request.message)),
        digest=digest,
        timeout_s=request.timeout_s,
        on_timeout=request.on_timeout,
        created_at=now,
        ends_at=now + timedelta(seconds=request.timeout_s),
    )


def _told(approval: Approval) -> dict[str, str]:
    return {
        "environment": approval.environment.name,
        "agent": approval.agent_id,
        "tool": approval.tool_name[:128],
        "session": approval.session_id[:128],
    }


def _refuse_misfits(request: Request) -> str:
    """The arguments as they are kept."""
    _refuse_unless(
        bool(request.tool_name) and len(request.tool_name) <= 1_024,
        "tool_name",
        "A tool's name has 1 to 1,024 characters.",
    )
    _refuse_unless(len(request.agent_id) <= 128, "agent_id", "An agent id has at most 128.")
    _refuse_unless(len(request.session_id) <= 1_024, "session_id", "At most 1,024 characters.")
    for path in ("tool_name", "agent_id", "session_id"):
        fits = can_be_kept(getattr(request, path))
        _refuse_unless(fits, path, "This name holds NUL or half a character.")
    _refuse_unless(1 <= request.timeout_s <= LONGEST_TIMEOUT, "timeout", "From a second to a year.")
    deep = is_deeper_than(dict(request.tool_args), DEEPEST)
    _refuse_unless(not deep, "tool_args", f"Nested more than {DEEPEST} deep.")
    try:
        text = as_text(dict(request.tool_args))
    except ValueError:
        text = ""
    _refuse_unless(bool(text), "tool_args", "NaN and infinity are no JSON.")
    _refuse_unless(
        len(text) <= LONGEST_ARGUMENTS, "tool_args", "Arguments take at most 1 MiB as JSON."
    )
    return text


def _refuse_unless(fits: bool, path: str, message: str) -> None:  # noqa: FBT001 - reads as said
    if not fits:
        raise InvalidInput(f"{path}: {message}", errors=[Problem(path=path, message=message)])


def _cut(message: str) -> str:
    kept = message.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return kept if len(kept) <= LONGEST_MESSAGE else kept[: LONGEST_MESSAGE - 1] + "…"


def _reason(text: str) -> str:
    text = text.strip()
    if len(text) > LONGEST_REASON or not can_be_kept(text):
        unfit = f"A reason is a text of at most {LONGEST_REASON:,} characters, without NUL."
        raise InvalidInput.at("reason", unfit)
    return text
