"""Tags of sessions: they change when anything changes that a part of a page shows."""

from outcomes.models import Session
from outcomes.web.tags import hash_of


def standing_tag(session: Session, state: str) -> str:
    return hash_of(in_list(session), session.tally, state)


def in_list(session: Session) -> tuple[object, ...]:
    """What a row of the list shows; the counts by tool and by reason are not read for it."""
    return (
        session.pk, session.first_at, session.last_at, session.version_id, session.agent_id,
        session.attempts, session.successes, session.failures, session.unknown, session.denied,
        session.open, session.disagreements, session.artifacts, session.stopped,
        session.limit_name, session.waste,
    )  # fmt: skip
