"""Named success checks: every save creates an immutable version."""

from collections.abc import Collection
from hashlib import sha256

from django.db import transaction

from governance.audit_log import Detail, record
from governance.checks.language.text import CheckedText, read_check
from governance.checks.queries.checks import (
    IncludedCheck,
    check_named,
    is_ours,
    newer_included,
    newest_check_version,
    renamed_check,
    shipped_name,
)
from governance.checks.queries.includes import ALL, Including
from governance.core.actor import Actor
from governance.core.compiled_check import Compiled
from governance.core.errors import DocumentInvalid
from governance.core.texts import is_storable
from governance.drafts.commands import Grown, MovedOn, fit_message
from governance.models import Check, CheckVersion, Project
from governance.people.commands.masking import as_stored, refuse_secrets
from governance.people.policies import Action, refuse_unless


def save_check(
    project: Project,
    *,
    document: bytes | str,
    message: str = "",
    by: Actor,
    name: str = "",
    grown: Grown | None = None,
    newer: Collection[str] = (),
) -> tuple[CheckVersion, bool]:
    """Save a version, unless the newest has the same bytes; returns it and whether it is new.

    Raises DocumentInvalid if the document isn't named `name`, and MovedOn if the newest version
    isn't `grown`, the one that its author edited. Included checks keep the versions that the newest
    version fixed, except those in `newer`.
    """
    refuse_unless(by, Action.WRITE_CHECK)
    message = as_stored(project.pk, fit_message(message))
    refuse_secrets(project.pk, document, path="text")
    read, compiled = _read(project, document, newer)
    expected = name or (grown.name if grown else "")
    if expected and expected != read.name:
        raise DocumentInvalid([renamed_check(document, expected)])
    if is_ours(read.name) and check_named(project, read.name) is None:
        raise DocumentInvalid([shipped_name(document, read.name)])
    written = document.encode() if isinstance(document, str) else document
    return _save(project, written, read, compiled, message=message, by=by, grown=grown)


def include_newer(newest: CheckVersion, *, by: Actor) -> tuple[CheckVersion, bool]:
    """Save the same text with the newest included checks; the same version if none is newer.

    Examples run again: a newer included check may break one, and then the save is rejected.
    """
    refuse_unless(by, Action.WRITE_CHECK)
    newer = newer_included(newest)
    if not newer:
        return newest, False
    project, document = newest.success_check.project, bytes(newest.document)
    read, compiled = _read(project, document, ALL)
    message = "Include " + ", ".join(f"{each.name} v{each.newest}" for each in newer)
    grown = Grown(newest.name, newest.number)
    return _save(project, document, read, compiled, message=message, by=by, grown=grown)


def _read(
    project: Project, document: bytes | str, newer: Collection[str]
) -> tuple[CheckedText, Compiled]:
    read = read_check(document, included_by=Including(project.pk, newer).of)
    if read.problems or read.compiled is None:
        raise DocumentInvalid(read.problems)
    return read, read.compiled


@transaction.atomic
def _save(
    project: Project,
    document: bytes,
    read: CheckedText,
    compiled: Compiled,
    *,
    message: str,
    by: Actor,
    grown: Grown | None,
) -> tuple[CheckVersion, bool]:
    # This row lock serializes version numbering. For a new name, the insert does.
    check, _ = Check.objects.select_for_update(no_key=True).get_or_create(
        project=project, name=read.name
    )
    newest = newest_check_version(check)
    included = [IncludedCheck(name=name, version=at) for name, at in read.included.items()]
    if newest is not None and (bytes(newest.document), newest.included) == (document, included):
        return newest, False
    if grown is not None and newest is not None and newest.number != grown.number:
        raise MovedOn(newest)
    number = newest.number + 1 if newest else 1
    version = CheckVersion(
        success_check=check,
        number=number,
        document=document,
        sha256=sha256(document).hexdigest(),
        description=read.description if is_storable(read.description) else "",
        rules=sum(rule["of"] is None for rule in compiled["rules"]),
        included=included,
        author=str(by)[:254],
        message=message,
    )
    version.compiled = {**compiled, "version": number}
    version.save(force_insert=True)
    details: dict[str, Detail] = {
        "sha256": version.sha256,
        "message": message,
        "included": [f"{each['name']} v{each['version']}" for each in included],
    }
    record(by, "check saved", str(version), project=project, details=details)
    return version, True
