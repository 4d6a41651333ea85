"""Versions of contracts as their bytes, for whoever asks them again what they say."""

from dataclasses import dataclass

from governance.models import BundleVersion


@dataclass(frozen=True, slots=True)
class Written:
    """A version as it was written."""

    id: int
    bundle: str
    number: int
    document: bytes


def version_written(version: int) -> Written | None:
    row = (
        BundleVersion.objects.filter(pk=version)
        .values_list("id", "bundle__name", "number", "document")
        .first()
    )
    return Written(row[0], row[1], row[2], bytes(row[3])) if row else None
