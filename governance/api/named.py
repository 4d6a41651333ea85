"""The bundle and the version that a request names."""

from governance import queries
from governance.auth import AccessRequest
from governance.domain.errors import NotFound
from governance.models import Bundle, BundleVersion


def named_bundle(request: AccessRequest, name: str) -> Bundle:
    bundle = queries.bundle_named(queries.project_numbered(request.auth.project_id), name)
    if bundle is None:
        raise NotFound("There is no such bundle.")
    return bundle


def named_version(bundle: Bundle, number: int | None = None) -> BundleVersion:
    """Without a number the newest."""
    version = (
        queries.newest_version(bundle)
        if number is None
        else queries.version_numbered(bundle, number)
    )
    if version is None:
        raise NotFound(f"{bundle.name} has no such version.")
    return version
