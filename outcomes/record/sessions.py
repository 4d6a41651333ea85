"""Sessions of a project, and one by its id: the lists and pages of every room begin here."""

from django.db.models import Q, QuerySet

from outcomes.models import Session
from outcomes.record.codec import as_text, digest_of


def sessions(
    project_id: int, *, environment: str = "", agent: str = "", text: str = ""
) -> QuerySet[Session]:
    """The sessions of a project that have calls, the one seen last first."""
    found = (
        Session.objects.filter(project=project_id, attempts__gt=0)
        .select_related("agent", "environment", "version__bundle")
        .defer("version__document", "version__session_rules")  # half a megabyte in each row
        .order_by("-last_at", "-id")
    )
    if environment:
        found = found.filter(environment__name=as_text(environment))
    if agent:
        found = found.filter(agent__digest=digest_of(agent))
    if text:
        text = as_text(text)
        found = found.filter(Q(session_id__icontains=text) | Q(agent__name__icontains=text))
    return found


def session_named(project_id: int, session_id: str, environment: str = "") -> Session | None:
    """The session seen last under that id; ids are one's own in each environment."""
    found = sessions(project_id, environment=environment).defer(None).defer("version__document")
    return found.filter(digest=digest_of(session_id)).first()
