"""Which sessions are children of which, as their calls say it."""

from collections.abc import Iterable
from typing import NamedTuple

from outcomes.models import ChildSession
from outcomes.record.codec import as_text, digest_of


class Child(NamedTuple):
    environment: int
    parent: str  # its session id
    session: int


def link_children(children: Iterable[Child]) -> None:
    """Asked first: a child says it with each of its calls."""
    links = {(each.environment, digest_of(each.parent), each.session): each for each in children}
    if not links:
        return
    there = ChildSession.objects.filter(session__in={each.session for each in links.values()})
    for environment, digest, session in there.values_list(
        "environment", "parent_digest", "session__id"
    ):
        links.pop((environment, bytes(digest), session), None)
    ChildSession.objects.bulk_create(
        [
            ChildSession(
                environment_id=environment,
                parent_digest=digest,
                parent=as_text(links[environment, digest, session].parent),
                session_id=session,
            )
            for environment, digest, session in sorted(links)
        ],
        ignore_conflicts=True,
    )
