"""Suggestions of a project: open ones, dismissed ones, and the progress of each."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from django.db.models import Count, Max, Q

from governance.checks.domain import LAST, Binding, lines_judging
from governance.checks.language.shipped.rows import Followed, followed
from governance.checks.queries import checks
from governance.checks.queries.known_rules import RulePlace, place_of_rule
from governance.core.json_value import Json
from governance.models import Project
from outcomes.core.scope import Scope
from outcomes.database.reading import reading
from outcomes.masking.domain.shown_call import masking_of
from outcomes.models import Call, Event, Suggestion, SuggestionScan, Tool
from outcomes.reclassification.queries.past_calls import PastCalls, past_calls
from outcomes.record.codec import as_text, digest_of
from outcomes.record.outcome import NotReported, ToolExecutionResult
from outcomes.stored.queries import newest_calls_named, read_calls
from outcomes.suggestions.domain.flow import Step, next_step

SHOWN: Final = 200
AT_ONCE: Final = 20_000  # events per query for their tools
MOST_OUTPUTS: Final = 100_000  # newest calls considered when counting outputs
_WITH_RESULT: Final = (Call.Kind.EXECUTION_RESULT, Call.Kind.ARTIFACT_REFERENCE)
_TOUCHED: Final = """
    SELECT DISTINCT c.tool_id FROM (
        SELECT environment_id, call_digest FROM outcomes_event
        WHERE project_id = %s AND id > %s AND id <= %s AND source = 'outcomes'
    ) e JOIN outcomes_call c ON c.environment_id = e.environment_id AND c.digest = e.call_digest
"""


def open_suggestions(project_id: int) -> list[Suggestion]:
    """Open suggestions of a project, most outputs first."""
    rows = Suggestion.objects.filter(project=project_id, dismissed_at=None)
    return list(rows.select_related("tool").order_by("-results", "id")[:SHOWN])


def suggestions_for(tool: Tool) -> list[Suggestion]:
    """Open suggestions of one tool."""
    rows = Suggestion.objects.filter(tool=tool, dismissed_at=None)
    listed = list(rows.select_related("effect").order_by("-results", "id"))
    for each in listed:
        each.tool = tool  # saves a query per row
    return listed


def number_of_open_suggestions(project_id: int) -> int:
    return Suggestion.objects.filter(project=project_id, dismissed_at=None).count()


def dismissed_suggestions(project_id: int) -> list[Suggestion]:
    """Dismissed suggestions of a project, last dismissed first."""
    rows = Suggestion.objects.filter(project=project_id, dismissed_at__isnull=False)
    return list(rows.select_related("tool").order_by("-dismissed_at", "id")[:SHOWN])


def suggestion_numbered(project_id: int, number: int) -> Suggestion | None:
    rows = Suggestion.objects.filter(project=project_id, pk=number)
    return rows.select_related("tool", "project").first()


def scan_of(project_id: int) -> SuggestionScan | None:
    return SuggestionScan.objects.filter(project=project_id).first()


def row_of(suggestion: Suggestion) -> Followed | None:
    """Row of the result shapes reference, or None if the library no longer has the rule."""
    return followed(suggestion.check_name, suggestion.rule)


@dataclass(frozen=True, slots=True)
class Flow:
    """Progress from a suggested rule to corrected verdicts of one tool."""

    tool: Tool
    check: str  # built-in check that contains the rule
    rule: str
    judge: str  # check that now decides for the tool
    suggestion: Suggestion | None  # none if no such output was found by the last scan
    place: RulePlace
    is_bound: bool
    own_line: Binding  # binding that the flow creates
    may_unbind: bool
    past: PastCalls

    @property
    def step(self) -> Step | None:
        return next_step(
            drafted=self.place.draft is not None,
            saved=self.place.saved is not None,
            bound=self.is_bound,
            past_calls=self.past.calls,
        )

    @property
    def is_begun(self) -> bool:
        return self.place.draft is not None or self.place.saved is not None


def suggestion_for(tool: Tool, check: str, rule: str) -> Suggestion | None:
    rows = Suggestion.objects.filter(tool=tool, check_name=check, rule=rule)
    suggestion = rows.select_related("effect").first()
    if suggestion is not None:
        suggestion.tool = tool  # saves a query
    return suggestion


def flow_of(
    project: Project,
    person: int,
    tool: Tool,
    *,
    check: str,
    rule: str,
    suggestion: Suggestion | None,
    environments: Collection[str],
) -> Flow:
    judges = checks.judges(project.pk)
    places = lines_judging(judges.lines, tool.name, environments)
    names = [judges.lines[place].check for place in places if place is not None]
    judge = (suggestion.judge if suggestion else "") or next(iter(names), LAST)
    place = place_of_rule(project, person, check=check, rule=rule, tool=tool.name, judge=judge)
    own_line = Binding("*", "*", tool.name, place.name)
    return Flow(
        tool=tool,
        check=check,
        rule=rule,
        judge=judge,
        suggestion=suggestion,
        place=place,
        is_bound=place.saved is not None and place.name in names,
        own_line=own_line,
        may_unbind=own_line in judges.lines,
        past=past_calls(project.pk, {tool.pk: tool.name}, judges),
    )


class SampleOutput(NamedTuple):
    """Newest output that a suggestion is about, masked."""

    call_id: str
    environment: str
    value: Json


def sample_output(suggestion: Suggestion) -> SampleOutput | None:
    """Sample output, or None if it is stored as an artifact or was removed."""
    for sample in suggestion.samples[:1]:
        rows = newest_calls_named(suggestion.project_id, [sample["call"]], sample["environment"])
        for stored in read_calls(rows):
            match stored.folded.outcome:
                case ToolExecutionResult(output=output) if not isinstance(output, NotReported):
                    value = masking_of(stored.folded).value(output)
                    return SampleOutput(sample["call"], sample["environment"], value)
    return None


class Outputs(NamedTuple):
    """Number of calls that returned, and of those with an output that a check could read."""

    calls: int
    with_output: int


def outputs_in(project_id: int, scope: Scope) -> Outputs:
    """Outputs of the newest calls, up to MOST_OUTPUTS."""
    calls = Call.objects.filter(
        project=project_id, at__gte=scope.since, at__lt=scope.until, kind__in=_WITH_RESULT
    )
    if scope.environment:
        calls = calls.filter(environment__name=as_text(scope.environment))
    newest = calls.order_by("-at", "-order").values("pk")[:MOST_OUTPUTS]
    rows = Call.objects.filter(pk__in=newest).order_by()
    counted = rows.aggregate(calls=Count("pk"), given=Count("pk", filter=~Q(check_name="")))
    return Outputs(counted["calls"], counted["given"])


def tool_named(project_id: int, name: str) -> Tool | None:
    return Tool.objects.filter(project=project_id, digest=digest_of(name)).first()


def tool_numbered(project_id: int, number: int) -> Tool | None:
    return Tool.objects.filter(project=project_id, pk=number).first() if number < 2**63 else None


def newest_event(project_id: int) -> int:
    return Event.objects.filter(project=project_id).aggregate(newest=Max("id"))["newest"] or 0


def tools_touched(project_id: int, after: int, until: int) -> set[int]:
    """Tools with outputs among these events."""
    ids: set[int] = set()
    with reading().cursor() as cursor:
        for start in _steps(project_id, after, until):
            cursor.execute(_TOUCHED, [project_id, *start])
            ids |= {row[0] for row in cursor.fetchall()}
    return ids


def all_tools(project_id: int) -> set[int]:
    return set(Tool.objects.filter(project=project_id).values_list("pk", flat=True))


def tool_names(tools: Sequence[int]) -> dict[int, str]:
    return dict(Tool.objects.filter(pk__in=tools).values_list("pk", "name"))


def _steps(project_id: int, after: int, until: int) -> list[tuple[int, int]]:
    """Ranges of event ids with AT_ONCE events of this project each."""
    steps = []
    while after < until:
        ids = Event.objects.filter(project=project_id, id__gt=after, id__lte=until).order_by("id")
        end = ids.values_list("id", flat=True)[AT_ONCE - 1 : AT_ONCE].first() or until
        steps.append((after, end))
        after = end
    return steps
