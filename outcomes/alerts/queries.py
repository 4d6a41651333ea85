"""Subjects of alerts: loops, limits hit early, tools whose success rate fell, failed batches."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from django.db.models import Count, Max, Sum

from governance.alerts.queries import open_alerts
from governance.contracts.domain.limit_use import LimitJudgement, LimitUse
from governance.core.masking import masked_beginning
from governance.delivery.queries.governing import Governing
from governance.models import Finding, Project
from outcomes.alerts.domain import LATE, Early, Fallen, Stuck, Suspected, lag_text
from outcomes.core.moments import after_the_minute
from outcomes.core.scope import RANGES, USUAL, Scope
from outcomes.denials.domain import Loop
from outcomes.denials.queries.denials import denial_loops
from outcomes.figures.comparison import both_periods
from outcomes.figures.domain.figures import Figures, lowest_rate
from outcomes.figures.domain.standouts import Fall, Judged, falls
from outcomes.figures.queries.doubt import Doubt, doubt_in
from outcomes.figures.queries.groups import failure_groups
from outcomes.figures.queries.stats import figures_by, figures_by_over_time
from outcomes.jobs.queries import Backlog
from outcomes.models import Batch, Call, Session, Suggestion
from outcomes.record.codec import digest_of
from outcomes.sessions.queries.readings import report_of
from outcomes.stored.queries import CallFilter, arguments_line, read_calls, sessions
from outcomes.suggestions.queries import open_suggestions
from outcomes.suggestions.words import values_words

MOST: Final = 100  # loops, sessions, and fallen tools each
OPEN_SHOWN: Final = 200
_BEHIND: Final = "processing_behind"


def window(now: datetime) -> Scope:
    """Scope of the last 24 hours, which alerts about calls cover."""
    until = after_the_minute(now)
    return Scope(since=until - RANGES[USUAL][0], until=until, range=USUAL)


def loops_in(project_id: int, scope: Scope, now: datetime) -> list[Loop]:
    return denial_loops(project_id, scope, now, shown=MOST).shown


def stuck(project_id: int, loops: Iterable[Loop]) -> list[Stuck]:
    """Loops, each with the masked arguments and message of its last call."""
    loops = list(loops)
    rows = Call.objects.filter(
        environment__project=project_id, digest__in=[digest_of(each.call_id) for each in loops]
    ).select_related("environment", "tool", "agent")
    calls = {(each.row.environment.name, each.row.call_id): each for each in read_calls(list(rows))}
    loops_read = []
    for loop in loops:
        call = calls.get((loop.environment, loop.call_id))
        message = masked_beginning(call.row.detail) if call else ""
        loops_read.append(Stuck(loop, arguments_line(call), message))
    return loops_read


def early_sessions(project_id: int, scope: Scope) -> list[Early]:
    """Sessions that a limit stopped early, newest first."""
    rows = sessions(project_id).filter(
        last_at__gte=scope.since, last_at__lt=scope.until, stopped=Session.Stopped.PREMATURE
    )
    governing = Governing([])
    early = (_early(row, governing) for row in rows[:MOST])
    return [each for each in early if each is not None]


def _early(session: Session, governing: Governing) -> Early | None:
    limits = report_of(session, governing).limits
    early = [use for use in limits if use.judgement == LimitJudgement.PREMATURE]
    use = min(early, key=lambda each: each.stopped_at or 0, default=None)
    if use is None:
        return None
    return Early(
        session_id=session.session_id,
        environment=session.environment.name,
        agent=session.agent.name if session.agent else "",
        limit=_limit_name(use),
        value=use.limit.value,
        succeeded=use.used["classified"],
        failed=session.failures,
        last_at=session.last_at,
    )


def _limit_name(use: LimitUse) -> str:
    return use.limit.rule_ids[0] if use.limit.rule_ids else use.limit.kind


def top_error(project_id: int, early: Early) -> str:
    """Most frequent error of a session."""
    rows = Call.objects.filter(
        session__project=project_id,
        session__environment__name=early.environment,
        session__digest=digest_of(early.session_id),
        verdict="failure",
    ).exclude(detail="")
    counts = rows.order_by().values_list("detail").annotate(number=Count("id"))
    first = counts.order_by("-number", "detail").first()
    return masked_beginning(first[0]) if first else ""


def fallen_tools(project_id: int, scope: Scope) -> list[Fall]:
    """Tools whose success rate fell significantly, most costly first."""
    before: dict[str, Judged] = {}
    now: dict[str, Judged] = {}
    steps = figures_by_over_time(project_id, "tool", both_periods(scope), None, cut=scope.since)
    for tool, (then, current) in steps.items():
        for rates, figures in ((before, then.figures), (now, current.figures)):
            if figures.judged:
                rates[tool] = Judged(figures.successes, figures.judged)
    return falls(now, before)[:MOST]


def fallen(project_id: int, scope: Scope, fall: Fall) -> Fallen:
    calls = CallFilter(tool=fall.tool, since=scope.since, until=scope.until)
    groups = failure_groups(project_id, scope, tool=fall.tool, size=1).groups
    return Fallen(
        fall=fall,
        agents=_failing(project_id, "agent", calls),
        environments=_failing(project_id, "environment", calls),
        error=masked_beginning(groups[0].text) if groups else "",
        error_calls=groups[0].calls if groups else 0,
    )


def _failing(project_id: int, by: str, calls: CallFilter) -> list[str]:
    """Names with failures, most failures first."""
    figures = figures_by(project_id, "agent" if by == "agent" else "environment", calls)
    failures = {str(name): each.judged - each.successes for name, each in figures.items()}
    return sorted(filter(failures.get, failures), key=lambda name: (-failures[name], name))


def suspected(project_id: int, scope: Scope) -> list[tuple[Suggestion, Suspected]]:
    """For each tool with open suggestions, the suggestion with the most outputs."""
    most: dict[str, Suggestion] = {}
    for each in open_suggestions(project_id):
        most.setdefault(each.tool.name, each)
    if not most:
        return []
    doubt = doubt_in(project_id, scope)
    in_window = CallFilter(since=scope.since, until=scope.until)
    figures = figures_by(project_id, "tool", in_window)
    return [
        (each, _suspected(each, doubt, figures.get(tool, Figures()))) for tool, each in most.items()
    ]


def _suspected(suggestion: Suggestion, doubt: Doubt, now: Figures) -> Suspected:
    tool, looks = suggestion.tool.name, values_words(suggestion)
    calls = [each for each in doubt.calls if each.tool == tool]
    if not calls or now.rate is None:
        return Suspected(
            tool=tool,
            outputs=suggestion.results,
            of=suggestion.of,
            looks=looks,
            agents=[],
            environments=[],
        )
    return Suspected(
        tool=tool,
        outputs=len(calls),
        of=now.with_output,
        looks=looks,
        agents=sorted({each.agent for each in calls}),
        environments=sorted({each.environment for each in calls}),
        rate=now.rate,
        lowest=lowest_rate(now, len(calls)),
        is_all=doubt.is_all,
    )


def suggestions_state(project_id: int) -> tuple[object, ...]:
    """Value that changes with every scan and every dismissal."""
    rows = Suggestion.objects.filter(project=project_id, dismissed_at=None).order_by()
    return tuple(rows.aggregate(Count("id"), Max("looked_at")).values())


def failed_batches(project_id: int) -> tuple[int, int, str]:
    """Number of failed batches, of events in them, and the newest error."""
    rows = Batch.objects.filter(project=project_id, set_aside_at__isnull=False)
    sums = rows.order_by().aggregate(batches=Count("id"), events=Sum("items", default=0))
    error = rows.order_by("-id").values_list("error", flat=True).first() or ""
    return sums["batches"], sums["events"], masked_beginning(error)


def listed_alerts(
    project: Project, waiting: Backlog, limit: int = OPEN_SHOWN, environment: str = ""
) -> list[Finding]:
    """All open alerts, worst first. Lag comes first and is computed for the page, because a worker
    that is down can't store it."""
    lag = [lag_alert(project, waiting)] if is_behind(waiting) else []
    return [*lag, *open_alerts(project, limit, environment)]


def is_behind(waiting: Backlog) -> bool:
    return waiting.seconds_behind > LATE


def lag_alert(project: Project, waiting: Backlog) -> Finding:
    """Alert about processing lag, which is never stored."""
    text = lag_text(waiting.seconds_behind, waiting.batches, waiting.items)
    return Finding(
        project=project, kind=_BEHIND, title=text.title, why=text.why, severity=text.severity
    )
