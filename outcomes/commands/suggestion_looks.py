"""Looking at the newest results for failures that nobody sees: asked for, and carried out.

A job of its own process: what it costs, who settles does not pay.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from governance import queries
from governance.domain.checks.shipped.versions import VERSIONS
from governance.domain.success import Verdict
from governance.findings import Told, look
from governance.queries.judging import state_of_judges
from governance.queries.projects import environments_by_id
from outcomes.commands import jobs
from outcomes.commands.contents import Contents
from outcomes.domain.classification import Unreadable
from outcomes.domain.outcome import NotReported
from outcomes.domain.suggesting import FELL_THROUGH, Found, Seen, ToolLook
from outcomes.models import Call, Suggestion, SuggestionLook, Tool
from outcomes.models.jobs import WAITING
from outcomes.queries.suggestions import (
    all_tools,
    newest_event,
    number_of_open_suggestions,
    tool_names,
    tools_touched,
)
from outcomes.rejudging import Judging, Row, of_bindings, outputs_of
from outcomes.rejudging.choosing import COLUMNS
from outcomes.rejudging.judging import ARTIFACT

NEWEST: Final = 2_000  # results of a tool
LARGEST: Final = 1024 * 1024  # bytes of a result that is kept apart; what is larger is left out
ALL_LARGE: Final = 16 * LARGEST  # of one tool
AT_ONCE: Final = 250
ALL_AGAIN: Final = timedelta(days=1)  # calls leave, and nothing tells of it
KIND: Final = "silent_failures"  # as a finding
SUBJECT: Final = "Results judged success"
_WITH_RESULT: Final = (Call.Kind.EXECUTION_RESULT.value, Call.Kind.ARTIFACT_REFERENCE.value)
_looks: Final = SuggestionLook.objects.all
Status = SuggestionLook.Status


class NotWanted(Exception):
    """The project is gone, or another process has taken it up."""


def ask_for_looks() -> int:
    """At all projects where there is a reason to; how many wait now."""
    for project in Tool.objects.order_by().values_list("project", flat=True).distinct():
        if _has_reason(project):
            ask_for_look(project)
    return _looks().filter(status=Status.QUEUED).count()


def ask_for_look(project_id: int) -> SuggestionLook:
    """The one that waits or runs already, or it waits from now on."""
    found, _ = SuggestionLook.objects.get_or_create(project_id=project_id)
    ended = _looks().filter(pk=found.pk).exclude(WAITING)
    ended.update(
        status=Status.QUEUED,
        tries=0,
        started_at=None,
        heard_at=None,
        finished_at=None,
        error="",
        passed=0,
        total=0,
    )
    return _looks().get(pk=found.pk)


def take_up_lost_looks() -> int:
    """How many wait now."""
    return jobs.take_up_lost(_looks())


def run_waiting_looks() -> int:
    """All that wait, one after the other; how many there were."""
    ran = 0
    while (waiting := jobs.claimed(_looks())) is not None:
        _run(waiting)
        ran += 1
    return ran


def _has_reason(project_id: int) -> bool:
    last = _looks().filter(project=project_id).first()
    return (
        last is None
        or last.looked_at is None
        or newest_event(project_id) > last.seen
        or _is_for_all(last)
    )


def _is_for_all(last: SuggestionLook) -> bool:
    return (
        last.looked_at_all is None
        or timezone.now() - last.looked_at_all > ALL_AGAIN
        or last.judges != _judges(last.project_id)
    )


def _judges(project_id: int) -> str:
    library = sum(VERSIONS.values())  # which only grow
    return f"{state_of_judges(project_id)}/{len(VERSIONS)}/{library}"


def _run(waiting: SuggestionLook) -> None:
    now, project, number = timezone.now(), waiting.project_id, waiting.pk
    judges, newest = _judges(project), newest_event(project)
    is_for_all = _is_for_all(waiting)
    tools = all_tools(project) if is_for_all else tools_touched(project, waiting.seen, newest)
    environments = environments_by_id(project)
    judging = Judging(of_bindings(queries.judges(project)), environments)
    try:
        for passed, (tool, name) in enumerate(sorted(tool_names(sorted(tools)).items())):
            _note(number, total=len(tools), passed=passed)
            _keep(project, tool, _looked_at(number, project, tool, name, judging))
    except NotWanted:
        return
    except (KeyboardInterrupt, SystemExit):
        jobs.put_back(_looks(), number)
        raise
    tell_of_suggestions(project)
    all_ = {"looked_at_all": now} if is_for_all else {}
    _note(number, passed=len(tools), seen=newest, judges=judges, looked_at=now, **all_)
    jobs.end(_looks(), number, Status.DONE)


def _note(number: int, **figures: object) -> None:
    if not jobs.note(_looks(), number, **figures):
        raise NotWanted


def _looked_at(number: int, project: int, tool: int, name: str, judging: Judging) -> ToolLook:
    found = ToolLook(name)
    newest = Call.objects.filter(tool=tool, kind__in=_WITH_RESULT).order_by("-at")
    rows = [Row(*row) for row in newest.values_list(*COLUMNS)[:NEWEST]]
    left = ALL_LARGE
    for start in range(0, len(rows), AT_ONCE):
        _note(number)
        left = _look_at(found, rows[start : start + AT_ONCE], project, judging, left)
    return found


def _look_at(
    found: ToolLook, rows: Sequence[Row], project: int, judging: Judging, left: int
) -> int:
    """How many bytes of large results may still be read."""
    outputs, contents = outputs_of(rows), Contents()
    contents.learn((project, row.artifact_name) for row in rows if row.artifact_name)
    for row in rows:
        if row.kind == ARTIFACT:
            size = contents.size_of(project, row.artifact_name)
            if size > min(LARGEST, left):
                continue
            left -= size
        judged = judging.judge(row, outputs, lambda artifact: contents.value_of(project, artifact))
        if judged is None or not judged.said.check:
            continue
        found.of += 1
        said = judged.said
        if said.after is not Verdict.SUCCESS or said.rule not in FELL_THROUGH:
            continue
        output = (
            contents.value_of(project, row.artifact_name)
            if row.kind == ARTIFACT
            else outputs[row.id]
        )
        if isinstance(output, Unreadable | NotReported):
            continue
        environment = judging.environments.get(row.environment, "")
        seen = Seen(row.call_id, environment, row.agent, row.at, said.check)
        found.add(seen, output, row.elapsed_ms)
    return left


@transaction.atomic
def _keep(project: int, tool: int, looked: ToolLook) -> None:
    """What was found of a tool, in the place of what was."""
    now = timezone.now()
    present = {
        (row.check_name, row.rule): row
        for row in Suggestion.objects.select_for_update(of=("self",)).filter(tool=tool)
    }
    for place, row in present.items():
        if place in looked.found:
            _fill(row, looked.found[place], looked.of)
            row.looked_at = now
            row.save()
        elif row.dismissed_at is None:
            row.delete()
        elif row.results:
            Suggestion.objects.filter(pk=row.pk).update(results=0, saw=[], samples=[])
    for place, found in looked.found.items():
        if place in present:
            continue
        check, rule = place
        row = Suggestion(project_id=project, tool_id=tool, check_name=check, rule=rule)
        _fill(row, found, looked.of)
        row.found_at = row.looked_at = now
        row.save()


def _fill(row: Suggestion, found: Found, of: int) -> None:
    row.results, row.of = found.results, of
    row.first_at, row.last_at = found.first_at, found.last_at
    row.judge = found.judge
    row.saw, row.samples = found.saw_most(), found.samples()


def tell_of_suggestions(project_id: int) -> None:
    """One finding for all that are open, however many there are."""
    number = number_of_open_suggestions(project_id)
    told = {}
    if number:
        slug = queries.project_numbered(project_id).slug
        what = "one known form" if number == 1 else f"{number:,} known forms"
        told[KIND, SUBJECT] = Told(
            why=(
                f"Results in {what} of failure are judged success. Rates and limits count them so,"
                " until a check knows better."
            ),
            link=reverse("outcomes:suggestions", args=[slug]),
        )
    look(project_id, [KIND], told)
