"""Versions of a contract that can be deployed, newest first, with the environments they run in."""

from typing import Final, NamedTuple

from governance.contracts.queries.contracts import (
    existing_bundle,
    live_deployments,
    version_numbered,
    versions_before,
)
from governance.core.numbers import parse_number
from governance.models import BundleVersion, Project

LISTED: Final = 50


class VersionChoice(NamedTuple):
    version: BundleVersion
    places: list[str]
    is_chosen: bool


class VersionChoices(NamedTuple):
    shown: list[VersionChoice]
    has_older: bool


def version_choices(project: Project, name: str, chosen: str) -> VersionChoices:
    """Newest versions, and older ones that are deployed or chosen."""
    bundle = existing_bundle(project, name)
    newest = versions_before(bundle, None, LISTED + 1)
    versions = {each.number: each for each in newest[:LISTED]}
    places: dict[int, list[str]] = {}
    for each in live_deployments(project, [bundle.pk]):
        versions.setdefault(each.version.number, each.version)
        places.setdefault(each.version.number, []).append(each.environment.name)
    parsed = parse_number(chosen)
    if parsed is not None and parsed not in versions:
        older = version_numbered(bundle, parsed)
        versions |= {older.number: older} if older else {}
    return VersionChoices(
        [
            VersionChoice(versions[number], places.get(number, []), str(number) == chosen)
            for number in sorted(versions, reverse=True)
        ],
        has_older=len(newest) > LISTED,
    )
