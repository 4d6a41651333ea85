"""Contracts: every save another immutable version, and the deployment that makes one current."""

from hashlib import sha256

from django.db import transaction

from governance import news, queries
from governance.audit import record
from governance.commands.documents import keep_renderings, rendered
from governance.commands.environments import environment_named
from governance.commands.signing import locked, sign
from governance.domain.actor import Actor
from governance.domain.dialect import Dialect
from governance.domain.errors import DocumentInvalid, InvalidInput, Problem
from governance.domain.texts import can_be_kept
from governance.engine import Validation
from governance.models import Bundle, BundleVersion, Deployment, Project
from governance.policies import Action, refuse_unless

LONGEST_MESSAGE = 2_000


def save_version(
    project: Project, *, document: bytes | str, message: str = "", by: Actor
) -> tuple[BundleVersion, bool]:
    """The version with these bytes, and whether it is new: the newest one's bytes make no other."""
    refuse_unless(by, Action.WRITE_CONTRACT)
    message = _message(message)
    read = queries.read_contract(document)  # may take seconds, so nobody waits for us yet
    if not read.valid:
        raise DocumentInvalid(read.errors)
    written = document.encode() if isinstance(document, str) else document
    return _save(project, written, read, message=message, by=by)


def deploy(version: BundleVersion, *, to: str, by: Actor) -> tuple[Deployment, bool]:
    """The deployment that is live now, and whether it is new. Rolling back is deploying again."""
    refuse_unless(by, Action.DEPLOY)
    return _deploy(version, rendered(version), to=to, by=by)


@transaction.atomic
def _deploy(
    version: BundleVersion, renderings: dict[Dialect, bytes], *, to: str, by: Actor
) -> tuple[Deployment, bool]:
    bundle = _locked(version.bundle)
    environment = environment_named(bundle.project, to)
    live = queries.live_deployment(bundle, environment)
    if live is not None and live.version_id == version.pk:
        return live, False
    documents = keep_renderings(version, renderings)
    sign(locked(bundle.project), documents)
    deployment = Deployment.objects.create(
        version=version, environment=environment, author=str(by)[:254]
    )
    details = {
        "environment": environment.name,
        "revision_hash": version.revision_hash,
        "was": live.version.number if live else None,
    }
    record(by, "contract deployed", str(version), project=bundle.project, details=details)
    news.tell(bundle.project_id, environment.pk)
    return deployment, True


@transaction.atomic
def _save(
    project: Project, document: bytes, read: Validation, *, message: str, by: Actor
) -> tuple[BundleVersion, bool]:
    # Its row is the queue of those who number its versions; with a new name, making it is.
    bundle, _ = Bundle.objects.select_for_update(no_key=True).get_or_create(
        project=project, name=read.name
    )
    newest = queries.newest_version(bundle)
    if newest is not None and bytes(newest.document) == document:
        return newest, False
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
    return version, True


def _locked(bundle: Bundle) -> Bundle:
    # Of two who deploy at once, the later one must find what the earlier one has made live.
    rows = Bundle.objects.select_related("project").select_for_update(of=("self",), no_key=True)
    return rows.get(pk=bundle.pk)


def _message(text: str) -> str:
    text = text.strip()
    if len(text) > LONGEST_MESSAGE or not can_be_kept(text):
        unfit = f"A message is a text of at most {LONGEST_MESSAGE:,} characters, without NUL."
        raise InvalidInput(unfit, errors=[Problem(path="message", message=unfit)])
    return text
