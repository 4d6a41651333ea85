"""The newest events of a project, and the verdicts that a call had before."""

from collections.abc import Sequence

from django.db.models import Exists, OuterRef, QuerySet

from outcomes.models import Call, PastVerdict
from outcomes.models import Event as EventRow
from outcomes.record.codec import digest_of


def newest_events(
    project_id: int, *, agent: str = "", session: str = "", environment: str = ""
) -> QuerySet[EventRow]:
    """Events in the order of acceptance, the newest first."""
    found = EventRow.objects.filter(project=project_id).select_related("agent", "environment")
    if environment:
        found = found.filter(environment__name=environment)
    if agent:
        found = found.filter(agent__digest=digest_of(agent))
    if session:
        of_session = Call.objects.filter(project=project_id, session__digest=digest_of(session))
        # By the digests, which an index finds; a call of that id elsewhere is another one.
        same = of_session.filter(
            environment=OuterRef("environment"), digest=OuterRef("call_digest")
        )
        found = found.filter(Exists(same), call_digest__in=of_session.values("digest"))
    return found.order_by("-id")


def past_verdicts(call: Call) -> Sequence[PastVerdict]:
    """What was said of it before its present verdict, newest first."""
    rows = PastVerdict.objects.filter(project=call.project_id, call=call.pk)
    return list(rows.order_by("-id"))
