"""Recorded calls whose verdict is from another check or version than the one bound now."""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from django.db.models import Count, F, Value

from governance.checks.queries.checks import Judges
from outcomes.models import Call, Tool
from outcomes.record.globs import is_named

COUNTED: Final = 100_000  # beyond that, the page says "more than"
MOST_TOOLS: Final = 500
_WITH_RESULT: Final = (Call.Kind.EXECUTION_RESULT, Call.Kind.ARTIFACT_REFERENCE)


class PastCalls(NamedTuple):
    calls: int  # calls that a reclassification would check with another check or version
    checked: int  # all calls that sent an output
    is_more: bool = False

    @property
    def words(self) -> str:
        """Number of calls, such as "1,204" or "more than 100,000"."""
        return f"more than {self.calls:,}" if self.is_more else f"{self.calls:,}"


def tools_named(project_id: int, globs: Sequence[str]) -> dict[int, str]:
    """Tools that match one of these globs, or all tools without globs; at most MOST_TOOLS."""
    rows = Tool.objects.filter(project=project_id).order_by("name").values_list("pk", "name")
    fitting = ((tool, name) for tool, name in rows if is_named(name, tuple(globs)))
    return dict(each for _, each in zip(range(MOST_TOOLS), fitting, strict=False))


def past_calls(project_id: int, tools: dict[int, str], judges: Judges) -> PastCalls:
    """Number of calls with an outdated verdict. Runs at most two queries and counts at most COUNTED
    calls."""
    if not tools:
        return PastCalls(0, 0)
    some: Any = Call.objects.filter(tool__in=list(tools), kind__in=_WITH_RESULT)
    some = some.exclude(check_name="").order_by().values("pk")[:COUNTED]
    by_agent = any(line.agent != "*" for line in judges.lines)
    agent = F("agent__name") if by_agent else Value("")
    rows = Call.objects.filter(pk__in=some, project=project_id).order_by().annotate(caller=agent)
    names = ("environment__name", "caller", "tool", "check_name", "check_version")
    calls = checked = 0
    for environment, caller, tool, name, version, number in rows.values_list(*names).annotate(
        calls=Count("pk")
    ):
        bound = judges.check_for(environment, caller, tools[tool])
        checked += number
        if (name, version) != (bound.name, bound.version):
            calls += number
    return PastCalls(calls, checked, checked == COUNTED)
