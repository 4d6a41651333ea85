"""The version of a contract that an address names."""

from governance import queries
from governance.auth import MemberRequest
from governance.domain.errors import NotFound
from governance.domain.numbers import whole_number
from governance.models import Bundle, BundleVersion
from governance.queries.bundles import newest_of


def newest_named(request: MemberRequest, name: str, number: int = 1) -> list[BundleVersion]:
    """The newest versions of a contract: one at least."""
    found = newest_of(request.project, name, number)
    if not found:
        raise NotFound("There is no such contract.")
    return found


def version_asked(bundle: Bundle, text: str) -> BundleVersion:
    """The newest, unless the text is a number."""
    number = whole_number(text)
    version = queries.version_numbered(bundle, number) if number else queries.newest_version(bundle)
    if version is None:
        raise NotFound(f"{bundle.name} has no such version.")
    return version
