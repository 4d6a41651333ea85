"""Deployment requests: made by one person, decided by another, for one exact document.

Ending a request locks its bundle first, as saving and deploying do. So of two concurrent decisions,
or a decision and a save, the later one sees what the earlier one did.
"""

from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from governance.audit_log import record
from governance.case_runs.commands import run_and_store
from governance.case_runs.queries import blocked_by
from governance.contracts.commands.contracts import void_requests
from governance.contracts.queries.contracts import is_way_back, live_deployment, locked_bundle
from governance.contracts.queries.requests import waiting_request
from governance.core.actor import CONSOLE, Actor, shown
from governance.core.deployment_requests import REQUEST_LASTS, Blocked, RequestStatus
from governance.core.errors import Conflict, Forbidden, InvalidInput
from governance.delivery.commands.documents import rendered
from governance.deployments.commands.deployments import (
    fitting,
    make_live,
    reason_to_override,
    refuse_blocked,
    refuse_lacking,
    unanswered,
)
from governance.deployments.queries import due_requests
from governance.models import BundleVersion, DeploymentRequest
from governance.people.commands.masking import as_stored
from governance.people.policies import Action, is_requester, is_second_person, refuse_unless
from governance.people.queries.projects import environment_with, required_in
from governance.texts.dialect import Dialect

AT_ONCE = 200


def ask_to_deploy(
    version: BundleVersion, *, to: str, by: Actor, message: str = "", override: str = ""
) -> tuple[DeploymentRequest, bool]:
    """Request approval to deploy a version. Returns the pending request and whether it is new.

    A pending request for another version in the same environment becomes void.
    """
    refuse_unless(by, Action.DEPLOY, to)
    message, override = fitting(message, "message"), reason_to_override(override, to=to, by=by)
    failing = _failing(version, to)
    refuse_blocked(unanswered(failing, override))
    return _ask(version, to, by, message, override if failing else "")


def approve_request(request: DeploymentRequest, *, by: Actor) -> DeploymentRequest:
    """Deploy the requested version. If something blocks it now, the request remains pending."""
    refuse_unless(by, Action.DEPLOY, request.environment.name)
    version, environment = request.version, request.environment.name
    refuse_blocked(unanswered(_failing(version, environment), request.override))
    return _approve(request, rendered(version), by)


@transaction.atomic
def refuse_request(request: DeploymentRequest, *, reason: str, by: Actor) -> DeploymentRequest:
    refuse_unless(by, Action.DEPLOY, request.environment.name)
    reason = as_stored(request.bundle.project_id, fitting(reason, "reason"))
    if not reason:
        unfit = "Enter a reason for the requester."
        raise InvalidInput.at("reason", unfit)
    row = _waiting(request)
    _refuse_own(row, by)
    return _end(row, RequestStatus.REFUSED, by=by, reason=reason)


@transaction.atomic
def withdraw_request(request: DeploymentRequest, *, by: Actor) -> DeploymentRequest:
    refuse_unless(by, Action.DEPLOY, request.environment.name)
    row = _waiting(request)
    if not is_requester(by, row):
        raise Forbidden(
            "Only the requester can withdraw a request. Others can reject it.", code="not_yours"
        )
    return _end(row, RequestStatus.WITHDRAWN, by=by)


def expire_requests() -> int:
    """Expire requests that were not decided in time; returns how many."""
    due = due_requests(timezone.now(), AT_ONCE)
    return sum(_expire(request) for request in due)


def _failing(version: BundleVersion, to: str) -> list[Blocked]:
    """Failing tests that block a deployment. None for the previous version: it just ran there."""
    return [] if is_way_back(version, to) else blocked_by(run_and_store(version))


@transaction.atomic
def _ask(
    version: BundleVersion, to: str, by: Actor, message: str, override: str
) -> tuple[DeploymentRequest, bool]:
    bundle = locked_bundle(version.bundle)
    environment = environment_with(bundle.project, to)
    if environment is None or not required_in(bundle.project, to).second_person:
        raise Conflict(f"{to} needs no approval. Deploy it directly.", code="not_required")
    live = live_deployment(bundle, environment)
    if live is not None and live.version_id == version.pk:
        raise Conflict(f"{version} is already deployed to {to}.", code="live")
    refuse_lacking(version, to)
    waiting = waiting_request(bundle, to)
    if waiting is not None and waiting.version_id == version.pk:
        return waiting, False
    why = f"v{version.number} was requested instead."
    void_requests(bundle, environment=environment, why=why, by=by)
    message, override = (as_stored(bundle.project_id, text) for text in (message, override))
    now = timezone.now()
    request = DeploymentRequest.objects.create(
        bundle=bundle,
        version=version,
        environment=environment,
        revision_hash=version.revision_hash,
        author=str(by)[:320],
        requester_id=by.person_id,
        message=message,
        override=override,
        created_at=now,
        expires_at=now + REQUEST_LASTS,
    )
    _record(request, "deployment requested", by, message=message, override=override)
    return request, True


@transaction.atomic
def _approve(
    request: DeploymentRequest, renderings: dict[Dialect, bytes], by: Actor
) -> DeploymentRequest:
    row = _waiting(request)
    _refuse_own(row, by)
    version = row.version
    if sha256(bytes(version.document)).hexdigest() != row.revision_hash:
        raise Conflict("The version's bytes differ from the requested ones.", code="bytes")
    refuse_lacking(version, row.environment.name)
    row = _end(row, RequestStatus.APPROVED, by=by)
    row.deployment = make_live(
        version,
        renderings,
        to=row.environment.name,
        by=by,
        override=row.override,
        request=row,
    )
    row.save(update_fields=["deployment"])
    return row


@transaction.atomic
def _expire(request: DeploymentRequest) -> bool:
    locked_bundle(request.bundle)
    row = _with_version(request)
    if row.status != RequestStatus.PENDING or row.current_status is not RequestStatus.EXPIRED:
        return False
    _end(row, RequestStatus.EXPIRED, by=CONSOLE)
    return True


def _waiting(request: DeploymentRequest) -> DeploymentRequest:
    """Lock the bundle and return the current request; reject it if it is no longer pending."""
    locked_bundle(request.bundle)
    row = _with_version(request)
    match row.current_status:
        case RequestStatus.PENDING:
            return row
        case RequestStatus.EXPIRED:
            raise Conflict("This request expired. Send a new one.", code="expired")
        case RequestStatus.VOID:
            raise Conflict(f"This request was cancelled: {row.reason}", code="void")
        case RequestStatus.WITHDRAWN:
            raise Conflict(f"{shown(row.author)} already withdrew this request.", code="withdrawn")
        case status:
            raise Conflict(
                f"{shown(row.decided_by)} already {status} this request.", code="decided"
            )


def _with_version(request: DeploymentRequest) -> DeploymentRequest:
    rows = DeploymentRequest.objects.select_related("version__bundle__project", "environment")
    return rows.get(pk=request.pk)


def _refuse_own(request: DeploymentRequest, by: Actor) -> None:
    if not is_second_person(by, request):
        raise Forbidden(
            "A second person decides: not the requester, and not a key that no person created.",
            code="second_person",
        )


def _end(
    row: DeploymentRequest, status: RequestStatus, *, by: Actor, reason: str = ""
) -> DeploymentRequest:
    row.status, row.reason, row.ended_at = status, reason, timezone.now()
    if status in (RequestStatus.APPROVED, RequestStatus.REFUSED):
        row.decided_by = str(by)[:320]
    row.save(update_fields=["status", "reason", "ended_at", "decided_by"])
    _record(row, f"deployment request {status}", by, reason=reason)
    return row


def _record(row: DeploymentRequest, action: str, by: Actor, **more: str) -> None:
    details: dict[str, str] = {
        "environment": row.environment.name,
        "revision_hash": row.revision_hash,
        "asked_by": row.author,
    }
    details |= {name: text for name, text in more.items() if text}
    record(by, action, str(row.version), project=row.version.bundle.project, details=details)
