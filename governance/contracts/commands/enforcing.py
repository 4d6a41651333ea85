"""From observing to enforcing: another version, in which one word is another."""

from governance.contracts.commands.contracts import save_version
from governance.contracts.domain.enforcing import enforced
from governance.core.actor import Actor
from governance.core.errors import Conflict
from governance.drafts.commands import Grown
from governance.models import BundleVersion
from governance.texts.document import read_document


def enforce(version: BundleVersion, *, by: Actor) -> tuple[BundleVersion, bool]:
    """The version that enforces what this one observes, and whether it is new; it is not deployed
    yet."""
    found = enforced(read_document(bytes(version.document)))
    if found is None:
        raise Conflict(f"{version} does not observe by default.", code="enforces")
    return save_version(
        version.bundle.project,
        document=found.text.encode(),
        message=f"Enforce what v{version.number} observed",
        by=by,
        grown=Grown(version.bundle.name, version.number),
    )
