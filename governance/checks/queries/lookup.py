"""Search: contracts and success checks whose name contains a text, with their newest version."""

from typing import Final, NamedTuple

from django.db.models import Max, Value
from django.db.models.functions import Lower, StrIndex

from governance.checks.language.shipped import shipped
from governance.models import Bundle, Check, Project

A_FEW: Final = 6
READ: Final = 100  # rows, contracts and checks together
LONGEST: Final = 128

Named = tuple[str, int | None]  # newest version: None if only a draft exists


class Documents(NamedTuple):
    contracts: list[Named]
    checks: list[Named]
    shipped: list[str]  # built-in checks that the project has no own version of


def documents_like(project: Project, text: str) -> Documents:
    """Matching documents, sorted by the position of the match, so prefixes first."""
    text = text.replace("\0", "")
    if not text or len(text) > LONGEST:
        return Documents([], [], [])
    at = StrIndex(Lower("name"), Lower(Value(text)))
    contracts, checks = (
        model.objects.filter(project=project, name__icontains=text)
        .annotate(kind=Value(kind), place=at, newest=Max("versions__number"))
        .order_by()
        .values_list("kind", "place", "name", "newest")
        for kind, model in ((0, Bundle), (1, Check))
    )
    rows = list(contracts.union(checks, all=True).order_by("place", "name")[:READ])
    of_contracts, of_checks = (
        [(name, newest) for each, _, name, newest in rows if each == kind][:A_FEW]
        for kind in (0, 1)
    )
    return Documents(of_contracts, of_checks, _shipped_like(text, {name for name, _ in of_checks}))


def _shipped_like(text: str, own: set[str]) -> list[str]:
    text = text.lower()
    names = [name for name in shipped() if text in name and name not in own]
    return sorted(names, key=lambda name: (name.index(text), name))[:A_FEW]
