"""Success targets of tools; the project holds its own."""

from typing import Final

from outcomes.models import Tool

MOST: Final = 1_000


def tool_targets(project_id: int) -> dict[str, float]:
    """Targets by tool name, of the tools that have one."""
    rows = Tool.objects.filter(project=project_id, success_target__isnull=False)
    targets = rows.values_list("name", "success_target")[:MOST]
    return {name: target for name, target in targets if target is not None}
