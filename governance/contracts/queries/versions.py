"""Versions of contracts with their bytes, for backtests and explanations."""

from dataclasses import dataclass
from typing import Final

from governance.contracts.domain.rule_aspects import rules_in_words
from governance.models import BundleVersion
from governance.texts.document import read_document
from governance.texts.outline import outline

LINES: Final = 40  # per rule; the contract's page shows all of them


@dataclass(frozen=True, slots=True)
class Written:
    """A version with its exact bytes."""

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


def versions_of(project_id: int, bundle: str) -> frozenset[int]:
    """Row ids of the contract's versions, by which calls refer to them."""
    rows = BundleVersion.objects.filter(bundle__project=project_id, bundle__name=bundle)
    return frozenset(rows.values_list("id", flat=True))


@dataclass(frozen=True, slots=True)
class WrittenRule:
    """One rule of a version: its line, description and text."""

    line: int
    type: str
    says: str
    text: str
    more_lines: int


def rule_written(project_id: int, bundle: str, number: int, rule: str) -> WrittenRule | None:
    """The rule as this version has it, or None if the version has no such rule."""
    versions = BundleVersion.objects.filter(bundle__project=project_id, bundle__name=bundle)
    written = versions.filter(number=number).values_list("document", flat=True).first()
    if written is None:
        return None
    document = read_document(bytes(written))
    outlined = next((each for each in outline(document) if each.id == rule), None)
    if outlined is None:
        return None
    lines = document.text.splitlines()[outlined.line - 1 : outlined.end_line]
    return WrittenRule(
        outlined.line,
        outlined.type,
        rules_in_words(document).get(rule, ""),
        "\n".join(lines[:LINES]),
        max(0, len(lines) - LINES),
    )
