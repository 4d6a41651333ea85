"""Reports of an agent's tooling, such as skill scans. Unknown fields are kept as sent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from outcomes.ingest.queries.reports import ReadReport
from outcomes.models import AgentReport

NAMES = ("name", "skill_name", "skill", "path", "skill_path")
ENTRIES = 200
RULES = 500
GRAVE = {"critical": "error", "high": "warning", "medium": "note"}


@dataclass(frozen=True, slots=True)
class Skill:
    name: str
    risk: str
    severity: str
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    row: AgentReport
    body: dict[str, Any]
    stats: list[tuple[str, int]]
    skills: list[Skill]
    total: int | None
    scanner: str


@dataclass(frozen=True, slots=True)
class Manifest:
    row: AgentReport
    body: dict[str, Any]
    policy_version: str
    rules: list[dict[str, str]]


def read_scan(report: ReadReport) -> Scan:
    body = report.body
    stats = body.get("stats")
    total = body.get("total_scanned")
    return Scan(
        row=report.row,
        body=body,
        stats=[
            (name.replace("_", " "), number)
            for name, number in (stats.items() if isinstance(stats, dict) else ())
            if isinstance(number, int)
        ],
        skills=[_skill(each) for each in _violations(body)][:ENTRIES],
        total=total if isinstance(total, int) else None,
        scanner=_text(body.get("scanner_version")),
    )


def read_manifest(report: ReadReport) -> Manifest:
    body = report.body
    # Gates up to 0.16 use the field `contracts`.
    rules = body.get("rules") or body.get("contracts")
    return Manifest(
        row=report.row,
        body=body,
        policy_version=_text(body.get("policy_version")),
        rules=[
            {name: _text(rule.get(name)) for name in ("id", "type", "tool", "mode")}
            for rule in _objects(rules)
        ][:RULES],
    )


def _skill(entry: Mapping[str, Any]) -> Skill:
    risk = _text(entry.get("risk_level"))
    return Skill(
        name=next((_text(entry[name]) for name in NAMES if entry.get(name)), "unnamed"),
        risk=risk,
        severity=GRAVE.get(risk.lower(), ""),
        says=tuple(_violation(each) for each in _violations(entry)),
    )


def _violations(of: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    # The 0.16 scanner uses the field `findings`.
    return _objects(of.get("violations") or of.get("findings"))


def _violation(violation: Mapping[str, Any]) -> str:
    line = violation.get("line")
    at = f"line {line}: " if isinstance(line, int) else ""
    return at + _text(violation.get("message"))


def _objects(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        yield from (each for each in value if isinstance(each, dict))


def _text(value: object) -> str:
    return value[:400] if isinstance(value, str) else ""
