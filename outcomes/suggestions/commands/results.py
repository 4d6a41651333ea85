"""Results of a scan, which replace those of the previous scan."""

from typing import Final

from django.db import transaction
from django.utils import timezone

from outcomes.models import Suggestion, SuspectedCall
from outcomes.suggestions.domain.suggesting import Finding, ToolScan

AT_ONCE: Final = 250  # rows per insert
MOST: Final = 1_000  # per project: agents choose the names, so their number must be limited


@transaction.atomic
def keep(project: int, tool: int, scan: ToolScan) -> None:
    """Replace a tool's suggestions with those of this scan."""
    now = timezone.now()
    present = {
        (row.check_name, row.rule): row
        for row in Suggestion.objects.select_for_update(of=("self",)).filter(tool=tool)
    }
    for place, row in present.items():
        if place in scan.findings:
            _fill(row, scan.findings[place], scan)
            row.looked_at = now
            row.save()
            _keep_calls(row, scan.findings[place])
        elif row.dismissed_at is None:
            row.delete()
        elif row.results:
            Suggestion.objects.filter(pk=row.pk).update(results=0, saw=[], samples=[])
            row.suspected.all().delete()
    new = [each for each in scan.findings.items() if each[0] not in present]
    room = MOST - Suggestion.objects.filter(project=project).count() if new else 0
    for place, finding in new[: max(room, 0)]:
        check, rule = place
        row = Suggestion(project_id=project, tool_id=tool, check_name=check, rule=rule)
        _fill(row, finding, scan)
        row.first_seen_at = row.looked_at = now
        row.save()
        _keep_calls(row, finding)


def _keep_calls(row: Suggestion, finding: Finding) -> None:
    stored = set[int](row.suspected.values_list("call__id", flat=True))
    row.suspected.filter(call__in=stored - finding.calls).delete()
    new = [SuspectedCall(suggestion=row, call_id=call) for call in sorted(finding.calls - stored)]
    SuspectedCall.objects.bulk_create(new, batch_size=AT_ONCE)


def _fill(row: Suggestion, finding: Finding, scan: ToolScan) -> None:
    row.results, row.of, row.scanned_since = finding.results, scan.of, scan.since
    row.first_at, row.last_at = finding.first_at, finding.last_at
    row.judge = finding.judge
    row.saw, row.samples = finding.saw_most(), finding.samples()
