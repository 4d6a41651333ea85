"""The version of a contract that an address names."""

from governance.contracts.queries.bundles import newest_of
from governance.contracts.queries.contracts import newest_version, version_numbered
from governance.core.errors import NotFound
from governance.core.numbers import whole_number
from governance.models import Bundle, BundleVersion
from governance.people.auth import MemberRequest


def newest_named(request: MemberRequest, name: str, number: int = 1) -> list[BundleVersion]:
    """The newest versions of a contract: one at least."""
    found = newest_of(request.project, name, number)
    if not found:
        raise NotFound("There is no such contract.")
    return found


def version_asked(bundle: Bundle, text: str) -> BundleVersion:
    """The newest, unless the text is a number."""
    number = whole_number(text)
    version = version_numbered(bundle, number) if number else newest_version(bundle)
    if version is None:
        raise NotFound(f"{bundle.name} has no such version.")
    return version
