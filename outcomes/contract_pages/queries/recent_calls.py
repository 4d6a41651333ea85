"""Recent calls as examples for tests: those of a contract, and the last call of a tool."""

from typing import Final

from governance.models import Bundle, BundleVersion
from outcomes.models import Call
from outcomes.record.codec import digest_of
from outcomes.stored.queries import with_names

READ: Final = 1_000  # newest calls of the project that are searched
SHOWN: Final = 5


def recent_calls_of(bundle: Bundle, limit: int = SHOWN) -> list[Call]:
    """Newest calls under any version of this contract, different ones first."""
    versions = set(BundleVersion.objects.filter(bundle=bundle).values_list("pk", flat=True))
    newest = Call.objects.filter(project=bundle.project_id).order_by("-at", "-order")
    rows = newest.values_list("pk", "version", "tool", "kind", "reason")[:READ]
    own = [(pk, kind) for pk, version, *kind in rows if version in versions]
    first_of_kind = {tuple(kind): pk for pk, kind in reversed(own)}.values()
    others = (pk for pk, _ in own if pk not in set(first_of_kind))
    chosen = [*sorted(first_of_kind, reverse=True), *others][:limit]
    return list(with_names(Call.objects.filter(pk__in=chosen)).order_by("-at", "-order"))


def last_call_of_tool(project_id: int, tool: str) -> Call | None:
    rows = Call.objects.filter(tool__project=project_id, tool__digest=digest_of(tool))
    return with_names(rows).order_by("-at").first()
