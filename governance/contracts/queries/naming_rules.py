"""Rules of deployed contracts that name a tool."""

from dataclasses import dataclass
from functools import lru_cache

from django.db.models import OuterRef, Subquery

from governance.contracts.domain.naming_rules import NamingRule, naming_rules
from governance.models import Deployment, Project
from governance.texts.document import read_document


@dataclass(frozen=True, slots=True)
class LiveRule:
    contract: str
    version: int
    environments: tuple[str, ...]
    rule: NamingRule


def live_rules_naming(project: Project, tool: str, environment: str = "") -> list[LiveRule]:
    """Matching rules by contract, in the order of its text."""
    if "\0" in environment:  # PostgreSQL rejects NUL
        return []
    newest = (
        Deployment.objects.filter(
            version__bundle=OuterRef("version__bundle"), environment=OuterRef("environment")
        )
        .order_by("-id")
        .values("pk")[:1]
    )
    live = Deployment.objects.filter(environment__project=project, pk=Subquery(newest))
    if environment:
        live = live.filter(environment__name=environment)
    there: dict[tuple[str, int], list[str]] = {}
    documents: dict[tuple[str, int], bytes] = {}
    rows = live.order_by("version__bundle__name", "-version__number", "environment__name")
    for contract, number, name, document in rows.values_list(
        "version__bundle__name", "version__number", "environment__name", "version__document"
    ):
        there.setdefault((contract, number), []).append(name)
        documents[contract, number] = bytes(document)
    return [
        LiveRule(contract, number, tuple(names), rule)
        for (contract, number), names in there.items()
        for rule in _rules_of(documents[contract, number])
        if rule.names(tool)
    ]


@lru_cache(maxsize=64)  # deployed versions rarely change
def _rules_of(document: bytes) -> tuple[NamingRule, ...]:
    return naming_rules(read_document(document))
