"""Selection of recorded calls for a job, and its validation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from django.utils import timezone

from governance.core.errors import InvalidInput
from governance.people.queries.projects import environment_with, project_numbered
from outcomes.stored.queries import ANY_CALL, CallFilter

MOST_GLOBS: Final = 50
LONGEST_GLOB: Final = 1_024
LONGEST_NAME: Final = 1_024


@dataclass(frozen=True, slots=True, kw_only=True)
class CallCriteria:
    """Criteria that select calls. Omitted ones match every call."""

    environment: str = ""
    since: datetime | None = None
    until: datetime | None = None
    agents: Sequence[str] = ()
    tools: Sequence[str] = ()
    call_filter: CallFilter = ANY_CALL  # further filters


class Fit(NamedTuple):
    environment: int | None
    now: datetime
    until: datetime


def fit(project_id: int, criteria: CallCriteria) -> Fit:
    environment = None
    if criteria.environment:
        project = project_numbered(project_id)
        existing = environment_with(project, criteria.environment)
        if existing is None:
            raise InvalidInput.at("env", "Environment not found.")
        environment = existing.pk
    now = timezone.now()
    until = min(criteria.until or now, now)  # no later calls are recorded yet
    if criteria.since is not None and criteria.since >= until:
        raise InvalidInput.at("since", "The period ends before it starts.")
    for path, globs in (("agent", criteria.agents), ("tool", criteria.tools)):
        if len(globs) > MOST_GLOBS or any(
            not 0 < len(each) <= LONGEST_GLOB or "\0" in each for each in globs
        ):
            raise InvalidInput.at(
                path, f"At most {MOST_GLOBS} names of at most {LONGEST_GLOB} characters."
            )
    session = criteria.call_filter.session
    if len(session) > LONGEST_NAME or "\0" in session:
        raise InvalidInput.at("session", f"An id of at most {LONGEST_NAME:,} characters.")
    return Fit(environment, now, until)
