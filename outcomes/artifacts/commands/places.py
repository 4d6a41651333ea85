"""Ownership of the artifact store: a mark that keeps other installations from cleaning it up."""

import secrets

from django.db import transaction

from outcomes.core import artifact_store
from outcomes.core.artifact_store.places import Place
from outcomes.models import Artifact, ArtifactStoreMark

NEWEST = 20  # artifacts, one of which must exist in a store without a mark


class OthersStore(Exception):
    """The configured store belongs to another installation."""


def claim_store() -> bool:
    """Mark the store in use as this installation's. False if it has none of its artifacts: a folder
    that is not mounted, or a new store to which nothing was moved yet."""
    place = artifact_store.place()
    own, mark = _own_mark(), place.mark()
    if mark and mark != own:
        raise OthersStore(
            f"The artifact store {place.name} belongs to another installation."
            " Set EDICTUM_SITE_ARTIFACTS to one of its own, or add a prefix: s3://bucket/prefix."
        )
    if not mark and _holds_ours(place):
        place.set_mark(own)
        return True
    return mark == own


def is_own(place: Place) -> bool:
    return place.mark() == _own_mark()


def may_be_own(place: Place) -> bool:
    """Whether no other installation has marked this store."""
    return place.mark() in {"", _own_mark()}


def mark_as_own(place: Place) -> None:
    place.set_mark(_own_mark())


@transaction.atomic
def _own_mark() -> str:
    row, _ = ArtifactStoreMark.objects.get_or_create(pk=1, defaults={"mark": secrets.token_hex(16)})
    return row.mark


def _holds_ours(place: Place) -> bool:
    """Whether the store has one of our newest artifacts, or there are none yet."""
    rows = Artifact.objects.filter(removed_at=None).order_by("-id")
    newest = list(rows.values_list("project", "sha256")[:NEWEST])
    return not newest or any(place.size_of(*each) is not None for each in newest)
