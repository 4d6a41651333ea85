"""Agents that fetch their document and never report: it is not in the dialect that they read."""

from django.urls import reverse

from governance.alerts.queries import projects_with_findings
from governance.delivery.queries.fetches import (
    UNREAD,
    Repeated,
    fetches_told_unread,
    repeated_fetches,
)
from governance.findings import Seen, Told, look
from outcomes.agents.queries.agents import has_reported_since

WHY = (
    "It asked for its document three times within an hour, and reported nothing since. An agent of"
    " edictum 0.17 (or of TypeScript 0.2) asks under the older prefix and reads the new dialect"
    " only: give it a key with the dialect `new`. If it merely starts often and calls no tool, all"
    " is well."
)


def find_unread_documents() -> None:
    """Told by nobody: such an agent ends before its first event."""
    # Once told it stays so until the agent reports, or is not heard of any more.
    told = [each for each in fetches_told_unread() if not _has_reported(each)]
    new = [each for each in repeated_fetches() if not _has_reported(each)]
    for project_id in projects_with_findings(UNREAD) | {each.project_id for each in new}:
        look(
            project_id,
            [UNREAD],
            {_seen(each): _told(each) for each in new if each.project_id == project_id},
            still=[_seen(each) for each in told if each.project_id == project_id],
        )


def _seen(each: Repeated) -> Seen:
    return UNREAD, str(each)


def _told(each: Repeated) -> Told:
    link = reverse("governance:keys", args=[each.project_slug])
    return Told(why=WHY, link=link, environment=each.environment, agent=each.agent)


def _has_reported(each: Repeated) -> bool:
    return has_reported_since(each.project_id, each.environment_id, each.agent, each.since)
