"""Finds documents that contain an id, such as an artifact's: the newest versions of contracts and
checks, and tests of contracts."""

import json
from typing import Final, NamedTuple

from django.db.models import Model, OuterRef, Subquery

from governance.models import BundleVersion, Case, CheckVersion, Project

# Characters of an id: a shorter one occurs in many words, and none is longer.
SHORTEST: Final = 8
LONGEST: Final = 1_024
READ_AT_ONCE: Final = 4  # documents, of up to half a megabyte each
MOST_TESTS: Final = 50  # tests


class Naming(NamedTuple):
    kind: str  # contract, check or test
    name: str  # of the contract or the check
    number: int | None = None  # of the version
    test: str = ""


def documents_naming(project: Project, text: str) -> list[Naming]:
    if not SHORTEST <= len(text) <= LONGEST:
        return []
    written = text.encode()
    contracts = BundleVersion.objects.filter(
        bundle__project=project, number=_newest(BundleVersion, "bundle")
    )
    checks = CheckVersion.objects.filter(
        success_check__project=project, number=_newest(CheckVersion, "success_check")
    )
    documents = [
        Naming(kind, name, number)
        for kind, rows, owner in (
            ("contract", contracts, "bundle__name"),
            ("check", checks, "success_check__name"),
        )
        for name, number, document in rows.order_by(owner)
        .values_list(owner, "number", "document")
        .iterator(chunk_size=READ_AT_ONCE)
        if written in bytes(document)
    ]
    quoted = json.dumps(text)[1:-1]
    cases = Case.objects.filter(bundle__project=project, calls__contains=quoted)
    names = cases.order_by("bundle__name", "position").values_list("bundle__name", "name")
    return documents + [
        Naming("test", contract, None, name) for contract, name in names[:MOST_TESTS]
    ]


def _newest(versions: type[Model], owner: str) -> Subquery:
    same = versions._default_manager.filter(**{owner: OuterRef(owner)})
    return Subquery(same.order_by("-number").values("number")[:1])
