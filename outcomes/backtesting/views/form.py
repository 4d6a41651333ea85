"""Selection of the calls to replay, from the backtest form or a link to it."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.http import QueryDict
from django.utils import timezone
from django.utils.http import urlencode

from governance.contracts.domain import limit_change
from outcomes.calls.queries.contract_words import tools_called
from outcomes.core.moments import after_the_minute, time_from, time_text, to_the_minute
from outcomes.lookup.queries import agents_seen
from outcomes.models import Backtest, Rejudging
from outcomes.models.backtests import CallsUnder
from outcomes.recorded_calls.selection import CallCriteria
from outcomes.stored.queries import CallFilter

BETWEEN: Final = "between"
PERIODS: Final = {
    "1": "Last 24 hours",
    "7": "Last 7 days",
    "30": "Last 30 days",
    "": "All time",
    BETWEEN: "Custom range…",
}
ALL: Final = "all"
LONGEST_LIMIT: Final = 200  # characters: the limit of a tool includes its name
MOST_CHOICES: Final = 40


@dataclass(frozen=True, slots=True)
class JobForm:
    """Values of a form as submitted, shown again if it is rejected."""

    version: str = ""
    environment: str = ""
    is_all: bool = False  # calls under other contracts too
    days: str = "7"
    since: datetime | None = None
    until: datetime | None = None
    agents: tuple[str, ...] = ()  # names or globs
    tools: tuple[str, ...] = ()
    session: str = ""  # of a reclassification
    limit: str = ""  # to replace the version's own
    value: str = ""

    @property
    def change(self) -> str:
        return f"{self.limit}: {self.value}" if self.limit else ""

    def criteria(self) -> CallCriteria:
        since, until = self._period(timezone.now())
        return CallCriteria(
            environment=self.environment,
            since=since,
            until=until,
            agents=self.agents,
            tools=self.tools,
            call_filter=CallFilter(session=self.session),
        )

    def _period(self, now: datetime) -> tuple[datetime | None, datetime]:
        if self.days == BETWEEN:
            return self.since, self.until or now
        return now - timedelta(days=int(self.days)) if self.days else None, now


@dataclass(frozen=True, slots=True)
class Choices:
    """Agents or tools: the known ones, each chosen or not, and other names that were typed."""

    seen: list[tuple[str, bool]]
    more: int
    written: str

    @property
    def is_any_chosen(self) -> bool:
        return any(is_chosen for _, is_chosen in self.seen)


def form_in(sent: QueryDict) -> JobForm:
    """Form values from a submitted form, or from a link to it."""
    since, until = time_from(sent.get("since", "")), time_from(sent.get("until", ""))
    days = sent.get("days", BETWEEN if since or until else "7")
    return JobForm(
        version=sent.get("version", ""),
        environment=sent.get("environment", ""),
        is_all=sent.get("calls") == ALL,
        days=days if days in PERIODS else "7",
        since=since,
        until=until,
        agents=_names(sent, "agents", "agent"),
        tools=_names(sent, "tools", "tool"),
        session=sent.get("session", ""),
        limit=sent.get("limit", "")[:LONGEST_LIMIT],
        value=sent.get("value", "").strip(),
    )


def form_context(project_id: int, form: JobForm) -> dict[str, Any]:
    return {
        "asked": form,
        "periods": PERIODS,
        "limits": dict.fromkeys((*limit_change.NAMES, *filter(None, [form.limit]))),
        "agent_choices": _choices(agents_seen(project_id, MOST_CHOICES + 1), form.agents),
        "tool_choices": _choices(tools_called(project_id, timezone.now()), form.tools),
    }


def filled_in(form: str, job: Backtest | Rejudging, *, version: int | None, scope: str = "") -> str:
    """URL of a form filled in as for this job, with its period rounded up to the minute."""
    is_minute = job.until == to_the_minute(job.until)
    until = job.until if is_minute else after_the_minute(job.until)
    query: list[tuple[str, str]] = [
        ("version", str(version) if version else ""),
        ("scope", scope),
        ("session", job.filters.get("session", "") if isinstance(job, Rejudging) else ""),
        ("environment", job.environment.name if job.environment else ""),
        ("calls", ALL if isinstance(job, Backtest) and job.calls_under == CallsUnder.ALL else ""),
        ("days", BETWEEN if job.since else ""),
        ("since", time_text(job.since)),
        ("until", time_text(until) if job.since else ""),
        *(("agent", name) for name in job.agents),
        *(("tool", name) for name in job.tools),
    ]
    encoded = urlencode([(name, value) for name, value in query if value or name == "days"])
    return f"{form}?{encoded}"


def _choices(names: Collection[str], chosen: tuple[str, ...]) -> Choices:
    shown = sorted(list(names)[:MOST_CHOICES], key=lambda name: name not in chosen)
    return Choices(
        [(name, name in chosen) for name in shown],
        len(names) - len(shown),
        ", ".join(name for name in chosen if name not in shown),
    )


def _names(sent: QueryDict, written: str, chosen: str) -> tuple[str, ...]:
    """Typed (comma-separated) and chosen names, without duplicates."""
    names = [name.strip() for text in sent.getlist(written) for name in text.split(",")]
    return tuple(dict.fromkeys(name for name in [*names, *sent.getlist(chosen)] if name))
