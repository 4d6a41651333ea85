"""Approvals: requested by an agent, decided by a person or a key, expired by the server's clock.

Every ending locks the row before it reads the clock, so if two decisions, or a decision and the
expiry, compete, exactly one finds the approval still pending.

A decision on a page takes effect after five seconds and can be undone until then. The row stores
that time, so no timer is needed and it survives a kill. Either the agent's poll or the undo updates
the row first, and the other one sees that.
"""

import secrets
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
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
from governance.core.masks.stored import Counts, StoredMasking
from governance.core.texts import is_storable
from governance.models import Approval, Environment
from governance.models.approvals import stored
from governance.people.commands.masking import as_stored, count_masks
from governance.people.policies import Action, refuse_unless
from governance.people.queries.masking import masking_in

# The SDKs try three times, wait 30 s for each answer, and pause in between.
SENT_AGAIN_WITHIN: Final = timedelta(seconds=100)
LONGEST_ARGUMENTS: Final = 1_048_576  # characters of JSON
LONGEST_MESSAGE: Final = 4_096
LONGEST_REASON: Final = 2_000
LONGEST_TIMEOUT: Final = 366 * 24 * 60 * 60
AT_ONCE: Final = 200
UNDO: Final = timedelta(seconds=5)
LEAST_LEFT: Final = timedelta(seconds=10)  # with less, decisions take effect at once


def ask(request: Request, *, environment_id: int) -> tuple[Approval, bool]:
    """Pending approval of this request, and whether it is new.

    A retried request, whose response was lost, gets the existing one.
    """
    _refuse_misfits(request)
    masked = Counter[str]()
    masking = masking_in(environment_id)
    if masking is not None:
        request = _mask_request(request, masking, masked)
    digest = digest_of(request)
    with transaction.atomic():
        # Lock the environment, so that the later of two equal requests finds the earlier one.
        environment = Environment.objects.select_for_update(no_key=True).get(pk=environment_id)
        now = timezone.now()
        waiting = Approval.objects.filter(
            environment=environment,
            agent_id=request.agent_id,
            digest=digest,
            ends_at__gt=now,
            created_at__gt=now - SENT_AGAIN_WITHIN,
        ).first()
        if waiting is not None:
            return waiting, False
        count_masks(environment.project_id, masked)
        text = as_text(dict(request.tool_args))
        return _save(request, text, digest, environment, now), True


@transaction.atomic
def decide(
    approval: Approval, *, approve: bool, by: Actor, reason: str = "", with_undo: bool = False
) -> Approval:
    """Decide a pending approval. With undo, the decision takes effect five seconds later."""
    refuse_unless(by, Action.DECIDE_APPROVAL, approval.environment.name)
    reason = as_stored(approval.project_id, _reason(reason))
    row = _locked(approval)
    now = timezone.now()
    _refuse_ended(row, now)
    delayed = with_undo and row.expires_at - now >= LEAST_LEFT
    row.status = Status.APPROVED if approve else Status.DENIED
    row.ends_at, row.reason, row.delivered = now + UNDO if delayed else now, reason, not delayed
    row.decided_by = str(by).removeprefix(f"{ActorKind.PERSON}:")[:320]
    row.save(update_fields=["status", "ends_at", "reason", "decided_by", "delivered"])
    done = "approval granted" if approve else "approval rejected"
    record(by, done, row.code, project=row.project, details=_about(row) | {"reason": reason})
    return row


@transaction.atomic
def undo(approval: Approval, *, by: Actor) -> Approval:
    """Undo a decision that the agent doesn't have yet: the approval is pending again."""
    refuse_unless(by, Action.DECIDE_APPROVAL, approval.environment.name)
    row = _locked(approval)
    if not row.can_undo(timezone.now()):
        late = "This can't be undone: the agent already has the decision."
        raise Conflict(late, code="delivered")
    decision, row.status = row.status, Status.PENDING
    row.ends_at, row.decided_by, row.reason = row.expires_at, "", ""
    row.save(update_fields=["status", "ends_at", "decided_by", "reason"])
    details = _about(row) | {"decision": decision}
    record(by, "approval decision undone", row.code, project=row.project, details=details)
    return row


def current(approval: Approval) -> Approval:
    """Approval as its agent gets it.

    Its end is stored before it is reported, so no concurrent decision or undo can contradict it.
    """
    now = timezone.now()
    if approval.ends_at > now:
        # Fix the time: a moment later it would count as ended, with nothing stored.
        approval.reported_at = now
        return approval
    if approval.status == Status.PENDING:
        return _expire(approval)
    return approval if approval.delivered else _deliver(approval)


def expire_approvals() -> int:
    """Mark approvals that expired without being polled; returns how many."""
    due = due_approvals(timezone.now(), AT_ONCE)
    return sum(_expire(approval).status == Status.TIMEOUT for approval in due)


@transaction.atomic
def open_arguments(approval: Approval, *, by: Actor) -> Mapping[str, Json]:
    """Unmasked arguments; the audit log records who opened them."""
    refuse_unless(by, Action.OPEN_VALUE)
    record(
        by,
        "arguments opened",
        approval.code,
        project=approval.project,
        details=_about(approval),
    )
    return approval.raw_arguments()


@transaction.atomic
def _deliver(approval: Approval) -> Approval:
    row = _locked(approval)
    if row.decided_by and row.ends_at <= timezone.now() and not row.delivered:
        row.delivered = True
        row.save(update_fields=["delivered"])
    return row


@transaction.atomic
def _expire(approval: Approval) -> Approval:
    row = _locked(approval)
    if row.status_as_of(timezone.now()) is Status.TIMEOUT and row.status == Status.PENDING:
        row.status = Status.TIMEOUT
        row.save(update_fields=["status"])
        record(
            CONSOLE,
            "approval expired",
            row.code,
            project=row.project,
            details=_about(row),
        )
    return row


def _locked(approval: Approval) -> Approval:
    rows = Approval.objects.select_related("environment", "project").defer("arguments")
    return rows.select_for_update(of=("self",), no_key=True).get(pk=approval.pk)


def _refuse_ended(approval: Approval, now: datetime) -> None:
    if approval.decided_by:
        word = "approved" if approval.status == Status.APPROVED else "rejected"
        raise Conflict(f"{shown(approval.decided_by)} already {word} this.", code="decided")
    if approval.ends_at <= now:
        raise Conflict("This approval expired, and the agent has continued.", code="expired")


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


def _about(approval: Approval) -> dict[str, str]:
    return {
        "environment": approval.environment.name,
        "agent": approval.agent_id,
        "tool": approval.tool_name[:128],
        "session": approval.session_id[:128],
    }


def _mask_request(request: Request, masking: StoredMasking, masked: Counts) -> Request:
    """Request with its secrets masked before storing."""
    arguments = masking.value(dict(request.tool_args), masked)
    assert isinstance(arguments, dict)  # noqa: S101 - as it was
    return replace(
        request,
        agent_id=masking.identifier(request.agent_id, masked)[:128],
        tool_name=masking.identifier(request.tool_name, masked)[:1_024],
        session_id=masking.identifier(request.session_id, masked)[:1_024],
        tool_args=arguments,
        message=masking.text(request.message, masked),
    )


def _refuse_misfits(request: Request) -> None:
    _refuse_unless(
        bool(request.tool_name) and len(request.tool_name) <= 1_024,
        "tool_name",
        "A tool's name has 1 to 1,024 characters.",
    )
    _refuse_unless(
        len(request.agent_id) <= 128, "agent_id", "An agent id has at most 128 characters."
    )
    _refuse_unless(len(request.session_id) <= 1_024, "session_id", "At most 1,024 characters.")
    for path in ("tool_name", "agent_id", "session_id"):
        fits = is_storable(getattr(request, path))
        _refuse_unless(fits, path, "A name may not contain NUL or a lone surrogate.")
    _refuse_unless(1 <= request.timeout_s <= LONGEST_TIMEOUT, "timeout", "Use 1 second to 1 year.")
    deep = is_deeper_than(dict(request.tool_args), DEEPEST)
    _refuse_unless(not deep, "tool_args", f"Nested more than {DEEPEST} deep.")
    try:
        text = as_text(dict(request.tool_args))
    except ValueError:
        text = ""
    _refuse_unless(bool(text), "tool_args", "NaN and infinity are not valid JSON.")
    _refuse_unless(
        len(text) <= LONGEST_ARGUMENTS, "tool_args", "Arguments may have at most 1 MiB as JSON."
    )


def _refuse_unless(fits: bool, path: str, message: str) -> None:  # noqa: FBT001 - reads as said
    if not fits:
        raise InvalidInput(f"{path}: {message}", errors=[Problem(path=path, message=message)])


def _cut(message: str) -> str:
    text = message.encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
    return text if len(text) <= LONGEST_MESSAGE else text[: LONGEST_MESSAGE - 1] + "…"


def _reason(text: str) -> str:
    text = text.strip()
    if len(text) > LONGEST_REASON or not is_storable(text):
        unfit = f"Use at most {LONGEST_REASON:,} characters, without NUL."
        raise InvalidInput.at("reason", unfit)
    return text
