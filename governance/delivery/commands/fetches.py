"""When agents fetched their documents."""

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from governance.models import Fetches


@transaction.atomic
def note_fetch(environment_id: int, agent: str, *, key_id: int) -> None:
    """The last three times are enough to see that an agent repeats itself."""
    now = timezone.now()
    rows = Fetches.objects.filter(environment=environment_id, agent=agent)
    again = rows.update(
        third_last_at=F("second_last_at"),
        second_last_at=F("last_at"),
        last_at=now,
        key_id=key_id,
    )
    if not again:
        first = Fetches(environment_id=environment_id, agent=agent, key_id=key_id, last_at=now)
        Fetches.objects.bulk_create([first], ignore_conflicts=True)
