"""Rows of the list of alerts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from governance.alerts.domain import kind_words
from governance.core.texts import code
from governance.models import Finding
from outcomes.web.paging import with_query


@dataclass(frozen=True, slots=True)
class AlertRow:
    alert: Finding
    title: str
    url: str
    place: str  # the environment, if neither title nor cause names it
    ended_at: datetime | None  # dismissed or resolved; None: open or snoozed


def rows(alerts: Iterable[Finding], carried: Mapping[str, str]) -> list[AlertRow]:
    """Rows of alerts, whose links to sessions carry the scope of the page."""
    return [_row(each, carried) for each in alerts]


def title_of(alert: Finding) -> str:
    """Title of an alert, or its kind and subject if it was stored without a title."""
    if alert.title:
        return alert.title
    words = kind_words(alert.kind)
    return f"{words}: {code(alert.subject)}" if alert.subject else words


def _row(alert: Finding, carried: Mapping[str, str]) -> AlertRow:
    title = title_of(alert)
    is_named = not alert.environment or alert.environment in f"{title} {alert.why}"
    return AlertRow(
        alert,
        title,
        _url(alert.link, carried),
        "" if is_named else f"{alert.environment}.",
        alert.dismissed_at or alert.resolved_at,
    )


def _url(link: str, carried: Mapping[str, str]) -> str:
    if "/sessions/" not in link or "range=" in link:
        return link
    address, mark, anchor = link.partition("#")
    return with_query(address, **carried) + mark + anchor
