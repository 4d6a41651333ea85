"""The bundle and the version that a request names."""

from governance.contracts.queries.contracts import bundle_named, newest_version, version_numbered
from governance.core.errors import NotFound
from governance.models import Bundle, BundleVersion
from governance.people.auth import AccessRequest
from governance.people.queries.projects import project_numbered


def named_bundle(request: AccessRequest, name: str) -> Bundle:
    bundle = bundle_named(project_numbered(request.auth.project_id), name)
    if bundle is None:
        raise NotFound("There is no such bundle.")
    return bundle


def named_version(bundle: Bundle, number: int | None = None) -> BundleVersion:
    """Without a number the newest."""
    version = newest_version(bundle) if number is None else version_numbered(bundle, number)
    if version is None:
        raise NotFound(f"{bundle.name} has no such version.")
    return version
