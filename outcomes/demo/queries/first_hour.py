"""Counts of the data a project has received, over its newest calls."""

from dataclasses import dataclass
from typing import Final

from governance.checks.domain import DEFAULT
from outcomes.models import Call
from outcomes.stored.queries import with_names

LIMIT: Final = 1_000
_BY_NO_CHECK_OF_THEIRS: Final = ("", DEFAULT.name)
_EXECUTED: Final = (Call.Kind.EXECUTION_RESULT, Call.Kind.ARTIFACT_REFERENCE)


@dataclass(frozen=True, slots=True)
class Received:
    """Counts over the newest calls, at most LIMIT of them."""

    calls: int = 0
    is_more: bool = False
    executed: int = 0
    outputs: int = 0  # executed calls whose output a check could read
    under_contract: int = 0
    version: str = ""  # of the newest call under a contract, as in: billing v3
    checked: int = 0  # by a check other than the default one
    check: str = ""  # of the newest of these calls

    @property
    def nothing_checkable(self) -> bool:
        return self.executed > 0 and not self.outputs


def newest_calls(project_id: int, number: int) -> list[Call]:
    """Newest calls of the project, including open ones: they too show that data arrives."""
    rows = with_names(Call.objects.filter(project=project_id)).order_by("-at", "-order")
    return list(rows[:number])


def received(project_id: int) -> Received:
    columns = ("kind", "classified", "version__bundle__name", "version__number", "check_name")
    rows = Call.objects.filter(project=project_id).order_by("-at", "-order")
    newest = list(rows.values_list(*columns)[: LIMIT + 1])
    calls = newest[:LIMIT]
    executed = [(classified, check) for kind, classified, *_, check in calls if kind in _EXECUTED]
    versions = [f"{name} v{number}" for *_, name, number, _ in calls if name]
    checks = [check for _, check in executed if check not in _BY_NO_CHECK_OF_THEIRS]
    return Received(
        calls=len(calls),
        is_more=len(newest) > LIMIT,
        executed=len(executed),
        outputs=sum(classified != "" for classified, _ in executed),
        under_contract=len(versions),
        version=next(iter(versions), ""),
        checked=len(checks),
        check=next(iter(checks), ""),
    )
