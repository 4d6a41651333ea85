"""Reveal one stored value that is masked wherever it is shown."""

from django.db import transaction

from governance.audit_log import record
from governance.core.actor import Actor
from governance.core.errors import InvalidInput, NotFound
from governance.core.json_value import Json
from governance.deployments.requirements import Project
from governance.people.policies import Action, refuse_unless
from outcomes.masking.domain.json_pointers import LONGEST, NoSuchPlace, value_at
from outcomes.masking.queries.stored_values import KINDS


@transaction.atomic
def open_value(
    project: Project, kind: str, name: str, place: str, *, environment: str = "", by: Actor
) -> Json:
    """Unmasked value at a JSON pointer (`place`) in a call, approval, rejected item or report,
    recorded in the audit log."""
    refuse_unless(by, Action.OPEN_VALUE)
    if kind not in KINDS:
        raise InvalidInput.at("kind", f"Use one of {', '.join(KINDS)}.")
    if not place or len(place) > LONGEST:
        raise InvalidInput.at("place", "Use a JSON pointer to one value, such as /tool_args/url.")
    stored = KINDS[kind](project.pk, name, environment)
    try:
        if stored is None:
            raise NoSuchPlace(name)
        value = value_at(stored.value, place)
    except NoSuchPlace:
        raise NotFound("Value not found.") from None
    details = {"of": kind, "environment": stored.environment, "place": place[:512]}
    record(by, "value opened", stored.subject, project=project, details=details)
    return value
