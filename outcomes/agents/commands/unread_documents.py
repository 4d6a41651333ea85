"""Alerts for agents that fetch their contract but never report: they can't read its format."""

from django.urls import reverse

from governance.alerts.queries import projects_with_findings
from governance.core.texts import code
from governance.delivery.queries.fetches import (
    UNREAD,
    Repeated,
    fetches_with_finding,
    repeated_fetches,
)
from governance.findings import Details, FindingKey, sync_findings
from outcomes.agents.queries.agents import has_reported_since

WHY = (
    "It fetched its contract 3 times within an hour and has reported nothing since. If it runs"
    " edictum 0.17 or TypeScript 0.2, give it a key with the contract format `new`. If it only"
    " starts often and calls no tool, dismiss this."
)


def find_unread_documents() -> None:
    """Open and resolve alerts. Such an agent exits before it sends its first event."""
    # An open alert stays open until the agent reports or stops fetching.
    known = [each for each in fetches_with_finding() if not _has_reported(each)]
    new = [each for each in repeated_fetches() if not _has_reported(each)]
    for project_id in projects_with_findings(UNREAD) | {each.project_id for each in new}:
        sync_findings(
            project_id,
            [UNREAD],
            {_seen(each): _details(each) for each in new if each.project_id == project_id},
            still=[_seen(each) for each in known if each.project_id == project_id],
        )


def _seen(each: Repeated) -> FindingKey:
    return UNREAD, str(each)


def _details(each: Repeated) -> Details:
    link = reverse("governance:keys", args=[each.project_slug])
    title = f"{code(each.agent)} loads its contract but reports nothing"
    why = f"{each.environment}. {WHY}"
    return Details(title=title, why=why, link=link, environment=each.environment, agent=each.agent)


def _has_reported(each: Repeated) -> bool:
    return has_reported_since(each.project_id, each.environment_id, each.agent, each.since)
