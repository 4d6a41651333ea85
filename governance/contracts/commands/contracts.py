"""Contracts: every save makes another immutable version."""

from hashlib import sha256

from django.db import transaction

from governance.audit_log import record
from governance.case_runs.commands import keep_run
from governance.contracts.commands.voiding import void_requests
from governance.contracts.queries.analysis import read_contract
from governance.contracts.queries.contracts import newest_version, renamed
from governance.core.actor import Actor
from governance.core.errors import DocumentInvalid
from governance.drafts.commands import Grown, MovedOn, fit_message
from governance.evaluation.engine import Validation
from governance.models import Bundle, BundleVersion, Project
from governance.people.policies import Action, refuse_unless


def save_version(
    project: Project,
    *,
    document: bytes | str,
    message: str = "",
    by: Actor,
    grown: Grown | None = None,
) -> tuple[BundleVersion, bool]:
    """The version with these bytes, and whether it is new: the newest one's bytes make no other.

    With `grown` it is refused when it would stand over a version that its author has not seen.
    """
    refuse_unless(by, Action.WRITE_CONTRACT)
    message = fit_message(message)
    read = read_contract(document)  # may take seconds, so nobody waits for us yet
    if not read.valid:
        raise DocumentInvalid(read.errors)
    if grown and grown.name and grown.name != read.name:
        raise DocumentInvalid([renamed(document, grown.name)])
    written = document.encode() if isinstance(document, str) else document
    version, is_new = _save(project, written, read, message=message, by=by, grown=grown)
    if is_new:
        keep_run(version)
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
    # Its row is the queue of those who number its versions; with a new name, making it is.
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
