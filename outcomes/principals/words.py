"""Headlines of principal pages."""

from typing import Final

from governance.core.figures import counted
from outcomes.principals.queries import NEWEST, Sums, SumsByName

LONGEST_NAME: Final = 40


def principals_sentence(sums: SumsByName) -> str:
    """Headline of the list, such as: tenant-nord: 12 of 90 calls failed"""
    if not sums.rows:
        return "No call with a principal in this range"
    worst = sums.rows[0]
    if not worst.problems:
        return f"No call of {counted(len(sums.rows), 'principal')} failed or was denied"
    return _problem(short(worst.name), worst)


def principal_sentence(name: str, sums: SumsByName) -> str:
    """Headline of one principal, such as: tenant-nord: 12 of 90 crm_lookup calls failed"""
    if not sums.rows:
        return f"{short(name)}: no calls in this range"
    worst = sums.rows[0]
    if not worst.problems:
        return f"{short(name)}: {counted(sums.calls, 'call')}, none failed or was denied"
    return _problem(short(name), worst, f"{short(worst.name, 20)} ")


def bound_words(sums: SumsByName) -> str:
    return f"Of the newest {NEWEST:,} calls with a principal." if sums.is_bounded else ""


def short(name: str, longest: int = LONGEST_NAME) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _problem(who: str, sums: Sums, tool: str = "") -> str:
    if sums.failures >= sums.denied:
        return f"{who}: {sums.failures:,} of {sums.calls:,} {tool}calls failed"
    return f"{who}: {sums.denied:,} of {sums.calls:,} {tool}calls denied"
