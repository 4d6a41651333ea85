"""Scans of the newest outputs for silent failures: queued and run.

A scan is a job in another process, so settling does not pay for it.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

from celery.exceptions import SoftTimeLimitExceeded
from django.db.models import Q
from django.utils import timezone

from governance.checks.language.shipped.versions import VERSIONS
from governance.checks.queries.checks import judges, state_of_judges
from governance.core.verdict import Verdict
from governance.people.queries.projects import environments_by_id
from outcomes.artifacts.commands.contents import Contents
from outcomes.artifacts.queries.outputs import outputs_of
from outcomes.core.artifact_store import fault_words
from outcomes.jobs import commands as jobs
from outcomes.models import Call, SuggestionScan, Tool
from outcomes.models.jobs import WAITING
from outcomes.reclassification.classifying import ARTIFACT, Judging, checks_by_binding
from outcomes.record.call_columns import COLUMNS, Row
from outcomes.record.classification import Unreadable
from outcomes.record.outcome import NotReported
from outcomes.suggestions.commands.results import keep
from outcomes.suggestions.domain.suggesting import FELL_THROUGH, Seen, ToolScan
from outcomes.suggestions.queries import all_tools, newest_event, tool_names, tools_touched

NEWEST: Final = 2_000  # outputs per tool
LARGEST: Final = 1024 * 1024  # bytes of an artifact; larger ones are skipped
ALL_LARGE: Final = 16 * LARGEST  # bytes of artifacts per tool
AT_ONCE: Final = 250
ALL_AGAIN: Final = timedelta(days=1)  # because removed calls trigger no scan
_WITH_RESULT: Final = (Call.Kind.EXECUTION_RESULT.value, Call.Kind.ARTIFACT_REFERENCE.value)
_scans: Final = SuggestionScan.objects.all
Status = SuggestionScan.Status
_BEGUN: Final = Q(status=Status.RUNNING) | Q(status=Status.QUEUED, started_at__isnull=False)


class ScanEnded(Exception):
    """The project was removed, or another process has claimed the scan."""


def request_scans() -> list[int]:
    """Request scans of all projects that need one. Returns the ids of queued scans."""
    for project in Tool.objects.order_by().values_list("project", flat=True).distinct():
        last = _scans().filter(project=project).first()
        if last is None or (last.has_ended and _has_reason(last)):
            request_scan(project)
    return jobs.waiting(_scans())


def request_scan(project_id: int) -> SuggestionScan:
    """Queue a scan. A scan that has started continues and is followed by another, because it does
    not see later calls."""
    scan, _ = SuggestionScan.objects.get_or_create(
        project_id=project_id, defaults={"requested_at": timezone.now()}
    )
    mine = _scans().filter(pk=scan.pk)
    mine.filter(_BEGUN).update(is_requested_again=True)
    mine.exclude(WAITING).update(**_requeued())
    return mine.get()


def _requeued() -> dict[str, Any]:
    return {
        "status": Status.QUEUED,
        "tries": 0,
        "started_at": None,
        "heard_at": None,
        "finished_at": None,
        "error": "",
        "passed": 0,
        "total": 0,
        "result": {},
        "requested_at": timezone.now(),
        "is_requested_again": False,
    }


def waiting_scans() -> list[int]:
    """Ids of queued scans, including those whose worker died."""
    jobs.requeue_lost(_scans())
    return jobs.waiting(_scans())


def run_scan(number: int) -> bool:
    """Run a scan. False if it is queued again: its turn ended, or it was requested meanwhile."""
    waiting = jobs.claimed(_scans(), number)
    return waiting is None or _run(waiting)


def _has_reason(last: SuggestionScan) -> bool:
    return last.looked_at is None or newest_event(last.project_id) > last.seen or _is_for_all(last)


def _is_for_all(last: SuggestionScan) -> bool:
    return (
        last.looked_at_all is None
        or timezone.now() - last.looked_at_all > ALL_AGAIN
        or last.judges != _judges(last.project_id)
    )


def _judges(project_id: int) -> str:
    library = sum(VERSIONS.values())  # versions only increase
    return f"{state_of_judges(project_id)}/{len(VERSIONS)}/{library}"


def _run(waiting: SuggestionScan) -> bool:
    turn = jobs.Turn()
    project = waiting.project_id
    begun = waiting.result or _beginning(waiting)
    tools = (
        all_tools(project)
        if begun["all"]
        else tools_touched(project, waiting.seen, begun["newest"])
    )
    left = sorted(tool for tool in tools if tool > begun["after"])
    names = tool_names(left)
    judging = Judging(checks_by_binding(judges(project)), environments_by_id(project))
    try:
        for passed, tool in enumerate(left, start=len(tools) - len(left)):
            _note(waiting, total=len(tools), passed=passed, result=begun)
            try:
                keep(project, tool, _scanned(waiting, tool, names[tool], judging))
            except OSError as error:  # earlier suggestions stay
                begun["fault"] = fault_words(error)
            begun["after"] = tool
            if turn.is_over() and tool != left[-1]:
                _note(waiting, passed=passed + 1, result=begun)
                jobs.put_back(waiting)
                return False
        if fault := begun.get("fault"):  # another scan will be requested soon
            jobs.end(waiting, Status.FAILED, error=fault[:500])
            return True
        now = timezone.now()
        times = {"looked_at": now} | ({"looked_at_all": now} if begun["all"] else {})
        seen = {"seen": begun["newest"], "judges": begun["judges"]}
        _note(waiting, passed=len(tools), result={}, **seen, **times)
    except ScanEnded:
        return True
    except SoftTimeLimitExceeded:
        jobs.end(waiting, Status.FAILED, error=jobs.TOO_LONG)
        return True
    except (KeyboardInterrupt, SystemExit):
        jobs.put_back(waiting)
        raise
    if jobs.end(waiting, Status.DONE, only=Q(is_requested_again=False)):
        return True
    jobs.held(waiting).update(**_requeued())
    return False


def _beginning(waiting: SuggestionScan) -> dict[str, Any]:
    """State at the start. Later changes are left to the next scan."""
    return {
        "all": _is_for_all(waiting),
        "newest": newest_event(waiting.project_id),
        "judges": _judges(waiting.project_id),
        "after": 0,  # last tool scanned
    }


def _note(scan: SuggestionScan, **figures: object) -> None:
    if not jobs.note(scan, **figures):
        raise ScanEnded


def _scanned(scan: SuggestionScan, tool: int, name: str, judging: Judging) -> ToolScan:
    findings = ToolScan(name)
    newest = Call.objects.filter(tool=tool, kind__in=_WITH_RESULT).order_by("-at")
    rows = [Row(*row) for row in newest.values_list(*COLUMNS)[:NEWEST]]
    if len(rows) == NEWEST:
        findings.since = rows[-1].at
    left = ALL_LARGE
    for start in range(0, len(rows), AT_ONCE):
        _note(scan)
        left = _scan(findings, rows[start : start + AT_ONCE], scan.project_id, judging, left)
    return findings


def _scan(
    findings: ToolScan, rows: Sequence[Row], project: int, judging: Judging, left: int
) -> int:
    """Scan these calls. Returns how many more bytes of artifacts may be read."""
    recorded, contents = outputs_of(rows), Contents()
    contents.learn((project, row.artifact_name) for row in rows if row.artifact_name)
    for row in rows:
        if row.kind == ARTIFACT:
            size = contents.size_of(project, row.artifact_name)
            if size > min(LARGEST, left):
                continue
            left -= size
        judged = judging.judge(row, recorded, lambda artifact: contents.value_of(project, artifact))
        if judged is None or not judged.change.check:
            continue
        findings.of += 1
        change = judged.change
        if change.after is not Verdict.SUCCESS or change.rule not in FELL_THROUGH:
            continue
        output = (
            contents.value_of(project, row.artifact_name)
            if row.kind == ARTIFACT
            else recorded.outputs[row.id]
        )
        if isinstance(output, Unreadable | NotReported):
            continue
        environment = judging.environments.get(row.environment, "")
        seen = Seen(row.id, row.call_id, environment, row.agent, row.at, change.check)
        findings.add(seen, output, row.elapsed_ms)
    return left
