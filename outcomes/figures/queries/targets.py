"""Success targets of tools. The project's target is stored with the project."""

from typing import Final

from outcomes.models import Tool

MOST: Final = 1_000


def tool_targets(project_id: int) -> dict[str, float]:
    """Targets by tool name, for tools with a target."""
    rows = Tool.objects.filter(project=project_id, success_target__isnull=False)
    targets = rows.values_list("name", "success_target")[:MOST]
    return {name: target for name, target in targets if target is not None}
