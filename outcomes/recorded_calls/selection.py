"""Which recorded calls a job is about, and what of that is refused."""

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
class Wanted:
    """Whatever is left out does not narrow them."""

    environment: str = ""
    since: datetime | None = None
    until: datetime | None = None
    agents: Sequence[str] = ()
    tools: Sequence[str] = ()
    call_filter: CallFilter = ANY_CALL  # beyond the above


class Fit(NamedTuple):
    environment: int | None
    now: datetime
    until: datetime


def fit(project_id: int, wanted: Wanted) -> Fit:
    environment = None
    if wanted.environment:
        project = project_numbered(project_id)
        found = environment_with(project, wanted.environment)
        if found is None:
            raise InvalidInput.at("env", "Environment not found.")
        environment = found.pk
    now = timezone.now()
    until = min(wanted.until or now, now)  # nothing of what comes is recorded yet
    if wanted.since is not None and wanted.since >= until:
        raise InvalidInput.at("since", "The period ends before it starts.")
    for path, globs in (("agent", wanted.agents), ("tool", wanted.tools)):
        if len(globs) > MOST_GLOBS or any(
            not 0 < len(each) <= LONGEST_GLOB or "\0" in each for each in globs
        ):
            raise InvalidInput.at(
                path, f"At most {MOST_GLOBS} names of at most {LONGEST_GLOB} characters."
            )
    session = wanted.call_filter.session
    if len(session) > LONGEST_NAME or "\0" in session:
        raise InvalidInput.at("session", f"An id of at most {LONGEST_NAME:,} characters.")
    return Fit(environment, now, until)
