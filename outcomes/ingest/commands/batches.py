"""Retries of failed batches by a person."""

from django.db import transaction

from governance.audit_log import record
from governance.core.actor import Actor
from governance.core.errors import NotFound
from governance.people import policies
from governance.people.policies import Action
from outcomes.models import Batch


@transaction.atomic
def retry_batch(project_id: int, batch_id: int, *, by: Actor) -> None:
    """Queue a failed batch again, as if it were new."""
    policies.refuse_unless(by, Action.RETRY_BATCH)
    batch = (
        Batch.objects.select_for_update(of=("self",))
        .select_related("project")
        .filter(project=project_id, pk=batch_id)
        .exclude(set_aside_at=None)
        .first()
    )
    if batch is None:
        raise NotFound("Failed batch not found.")
    batch.tries, batch.error, batch.next_try_at, batch.set_aside_at = 0, "", None, None
    batch.save(update_fields=["tries", "error", "next_try_at", "set_aside_at"])
    record(by, "retried a batch", f"batch {batch.pk}", project=batch.project)
