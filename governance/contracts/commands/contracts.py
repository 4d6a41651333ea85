"""Contracts: every save creates an immutable version."""

from hashlib import sha256

from django.db import transaction
from django.utils import timezone

from governance.audit_log import record
from governance.case_runs.commands import run_and_store
from governance.contracts.domain.enforcing import enforced
from governance.contracts.queries.analysis import read_contract
from governance.contracts.queries.contracts import newest_version, renamed
from governance.core.actor import Actor
from governance.core.deployment_requests import RequestStatus
from governance.core.errors import Conflict, DocumentInvalid
from governance.drafts.commands import Grown, MovedOn, fit_message
from governance.evaluation.engine import Validation
from governance.models import Bundle, BundleVersion, DeploymentRequest, Environment, Project
from governance.people.commands.masking import as_stored, refuse_secrets
from governance.people.policies import Action, refuse_unless
from governance.texts.document import read_document


def void_requests(
    bundle: Bundle,
    *,
    why: str,
    by: Actor,
    environment: Environment | None = None,
    but: DeploymentRequest | None = None,
) -> None:
    """Void all pending requests, or those of one environment. Call it with the contract locked."""
    waiting = DeploymentRequest.objects.filter(bundle=bundle, status=RequestStatus.PENDING)
    if environment is not None:
        waiting = waiting.filter(environment=environment)
    if but is not None:
        waiting = waiting.exclude(pk=but.pk)
    for request in waiting.select_related("version__bundle", "environment"):
        # It may have expired already.
        request.status = (
            RequestStatus.EXPIRED
            if request.current_status is RequestStatus.EXPIRED
            else RequestStatus.VOID
        )
        request.reason = why if request.status == RequestStatus.VOID else ""
        request.ended_at = timezone.now()
        request.save(update_fields=["status", "reason", "ended_at"])
        record(
            by,
            f"deployment request {request.status}",
            str(request.version),
            project=bundle.project,
            details={"environment": request.environment.name, "why": request.reason},
        )


def save_version(
    project: Project,
    *,
    document: bytes | str,
    message: str = "",
    by: Actor,
    grown: Grown | None = None,
) -> tuple[BundleVersion, bool]:
    """Save a version, unless the newest has the same bytes; returns it and whether it is new.

    Raises MovedOn if the newest version isn't `grown`, the one that its author edited.
    """
    refuse_unless(by, Action.WRITE_CONTRACT)
    message = as_stored(project.pk, fit_message(message))
    refuse_secrets(project.pk, document, path="text")
    read = read_contract(document)  # may take seconds, so before any lock is taken
    if not read.valid:
        raise DocumentInvalid(read.errors)
    if grown and grown.name and grown.name != read.name:
        raise DocumentInvalid([renamed(document, grown.name)])
    written = document.encode() if isinstance(document, str) else document
    version, is_new = _save(project, written, read, message=message, by=by, grown=grown)
    if is_new:
        run_and_store(version)
    return version, is_new


@transaction.atomic
def _save(
    project: Project,
    document: bytes,
    read: Validation,
    *,
    message: str,
    by: Actor,
    grown: Grown | None,
) -> tuple[BundleVersion, bool]:
    # This row lock serializes version numbering. For a new name, the insert does.
    bundle, _ = Bundle.objects.select_for_update(no_key=True).get_or_create(
        project=project, name=read.name
    )
    newest = newest_version(bundle)
    if newest is not None and bytes(newest.document) == document:
        return newest, False
    if grown is not None and newest is not None and newest.number != grown.number:
        raise MovedOn(newest)
    version = BundleVersion.objects.create(
        bundle=bundle,
        number=newest.number + 1 if newest else 1,
        document=document,
        revision_hash=sha256(document).hexdigest(),
        dialect=str(read.dialect),
        session_rules=[
            {"id": rule.id, "limits": rule.limits, "mode": rule.mode} for rule in read.session_rules
        ],
        author=str(by)[:254],
        message=message,
    )
    details = {
        "revision_hash": version.revision_hash,
        "dialect": version.dialect,
        "message": message,
    }
    record(by, "contract saved", str(version), project=project, details=details)
    void_requests(bundle, why=f"v{version.number} was saved.", by=by)
    return version, True


def enforce(version: BundleVersion, *, by: Actor) -> tuple[BundleVersion, bool]:
    """Save a version that enforces what this one observes; also returns whether it is new. It is
    not deployed yet."""
    text = enforced(read_document(bytes(version.document)))
    if text is None:
        raise Conflict(f"{version} is not in observe mode by default.", code="enforces")
    return save_version(
        version.bundle.project,
        document=text.text.encode(),
        message=f"Enforce what v{version.number} observed",
        by=by,
        grown=Grown(version.bundle.name, version.number),
    )
