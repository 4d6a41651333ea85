"""Agents that fetch their document and never report: it is not in the dialect that they read."""

from django.urls import reverse

from governance import queries
from governance.findings import found, resolve
from governance.queries.fetches import UNREAD, Repeated
from outcomes.queries.agents import has_reported_since

WHY = (
    "It asked for its document three times within an hour, and reported nothing since. An agent of"
    " edictum 0.17 (or of TypeScript 0.2) asks under the older prefix and reads the new dialect"
    " only: give it a key with the dialect `new`. If it merely starts often and calls no tool, all"
    " is well."
)


def find_unread_documents() -> None:
    """Told by nobody: such an agent ends before its first event."""
    for each in queries.repeated_fetches():
        if not _has_reported(each):
            found(
                each.project_id,
                UNREAD,
                str(each),
                why=WHY,
                link=reverse("governance:keys", args=[each.project_slug]),
                environment=each.environment,
            )
    for each in queries.fetches_told_unread():
        if _has_reported(each):
            resolve(each.project_id, UNREAD, str(each))


def _has_reported(each: Repeated) -> bool:
    return has_reported_since(each.project_id, each.environment_id, each.agent, each.since)
