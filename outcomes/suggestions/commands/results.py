"""What a look has found: kept in the place of what was found before, and told once per project."""

from typing import Final

from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from governance.findings import Told, look
from governance.people.queries.projects import project_numbered
from outcomes.models import Suggestion
from outcomes.suggestions.domain.suggesting import Found, ToolLook
from outcomes.suggestions.queries import number_of_open_suggestions, open_suggestions

KIND: Final = "silent_failures"  # as a finding
SUBJECT: Final = ""  # the project itself: its kind says all
MOST: Final = 1_000  # of a project: what agents name must not grow without end


@transaction.atomic
def keep(project: int, tool: int, looked: ToolLook) -> None:
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
    new = [each for each in looked.found.items() if each[0] not in present]
    room = MOST - Suggestion.objects.filter(project=project).count() if new else 0
    for place, found in new[: max(room, 0)]:
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
        slug = project_numbered(project_id).slug
        why = _why(open_suggestions(project_id)[0], number - 1)
        told[KIND, SUBJECT] = Told(why=why, link=reverse("outcomes:suggestions", args=[slug]))
    look(project_id, [KIND], told)


def _why(most: Suggestion, others: int) -> str:
    """The tool that has most of them is named: one wants to know whether it is an important one."""
    more = "" if not others else f", and {others:,} more form{'s' if others > 1 else ''} of it"
    have = "have" if most.results > 1 else "has"
    return (
        f"{most.tool.name}: {most.results:,} of the newest {most.of:,} results {have} a known form"
        f" of failure{more}. Rates and limits count them as successes until a check knows better."
    )
