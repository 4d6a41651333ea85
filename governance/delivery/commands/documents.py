"""Renderings: each version once per dialect, signed before it is served."""

from hashlib import sha256

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from governance.delivery.commands.signing import sign
from governance.delivery.queries.documents import unrendered_versions, unsigned_bytes
from governance.models import BundleVersion, Fetches, Project, Rendering
from governance.people.queries.projects import locked_project
from governance.texts.dialect import Dialect
from governance.texts.document import read_document


def rendered(version: BundleVersion) -> dict[Dialect, bytes]:
    """A version's document in both dialects. In its own dialect, the bytes as written."""
    document = read_document(bytes(version.document))
    return {dialect: document.text_in(dialect).encode() for dialect in Dialect}


def keep_renderings(version: BundleVersion, texts: dict[Dialect, bytes]) -> list[bytes]:
    """Store renderings and return the stored bytes; the first write wins. Call in a transaction."""
    rows = [
        Rendering(
            version=version,
            dialect=dialect.value,
            document=text,
            revision_hash=sha256(text).hexdigest(),
        )
        for dialect, text in sorted(texts.items())
    ]
    # Never replaced: agents report the hash of the document they were served.
    Rendering.objects.bulk_create(rows, ignore_conflicts=True)
    return [bytes(row.document) for row in Rendering.objects.filter(version=version)]


def complete_documents(project: Project) -> None:
    """Render and sign all deployed versions, and the stop document, where that is missing."""
    texts = [(version, rendered(version)) for version in unrendered_versions(project)]
    with transaction.atomic():
        for version, text in texts:
            keep_renderings(version, text)
        locked_project(project)
        sign(project, unsigned_bytes(project))


@transaction.atomic
def note_fetch(environment_id: int, agent: str, *, key_id: int) -> None:
    """Record a fetch. The last three times are enough to detect an agent that keeps fetching."""
    now = timezone.now()
    rows = Fetches.objects.filter(environment=environment_id, agent=agent)
    again = rows.update(
        third_last_at=F("second_last_at"),
        second_last_at=F("last_at"),
        last_at=now,
        key_id=key_id,
    )
    if not again:
        first = Fetches(environment_id=environment_id, agent=agent, key_id=key_id, last_at=now)
        Fetches.objects.bulk_create([first], ignore_conflicts=True)
