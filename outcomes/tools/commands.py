"""Success targets of tools."""

from django.db import transaction

from governance.audit_log import record
from governance.core.actor import Actor
from governance.core.errors import InvalidInput
from governance.core.figures import percent
from governance.models import Project
from governance.people.policies import Action, refuse_unless
from outcomes.models import Tool
from outcomes.record.codec import digest_of


@transaction.atomic
def set_tool_target(project: Project, name: str, *, target: float | None, by: Actor) -> None:
    """Set the rate, from 0 to 1, below which the tool's rates are red; None uses the project's."""
    refuse_unless(by, Action.SET_TARGET)
    tool = Tool.objects.filter(project=project, digest=digest_of(name)).first()
    if tool is None:
        raise InvalidInput.at("tool", f"No agent has called `{name}`.")
    if tool.success_target == target:
        return
    Tool.objects.filter(pk=tool.pk).update(success_target=target)
    details = {"target": None if target is None else percent(target)}
    record(by, "success target set", name, project=project, details=details)
