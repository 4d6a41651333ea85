"""Views of the list of sessions that a person finds there: their own, and the project's."""

from django.db.models import F, Q, QuerySet

from outcomes.models import SavedView


def saved_views(project_id: int, user_id: int | None) -> QuerySet[SavedView]:
    """One's own first."""
    found = SavedView.objects.filter(Q(owner=None) | Q(owner=user_id), project=project_id)
    return found.order_by(F("owner").asc(nulls_last=True), "name")
