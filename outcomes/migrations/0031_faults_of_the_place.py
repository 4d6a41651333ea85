"""Batches wait for a fault of the place to end; those that were set aside for one are retried."""

from typing import Any

from django.db import migrations, models
from django.db.models import Q
from django.utils import timezone

# As Python writes an error of the system, behind its name: `OSError: [Errno 28] No space left …`.
OF_THE_SYSTEM = r"^[A-Za-z]+: \[Errno [0-9]+\]"
REMOVED_MEANWHILE = "RemovedMeanwhile: "


def retry_those_of_the_place(apps: Any, schema_editor: Any) -> None:
    aside = apps.get_model("outcomes", "Batch").objects.filter(set_aside_at__isnull=False)
    of_the_place = Q(error__regex=OF_THE_SYSTEM) | Q(error__startswith=REMOVED_MEANWHILE)
    aside.filter(of_the_place).update(
        set_aside_at=None, tries=1, fault="store", next_try_at=timezone.now()
    )


class Migration(migrations.Migration):
    dependencies = [
        ("outcomes", "0030_filters_of_a_rejudging"),
    ]

    operations = [
        migrations.AddField(
            model_name="batch",
            name="fault",
            field=models.CharField(
                blank=True,
                choices=[
                    ("store", "the artifact store cannot be read or written"),
                    ("missing", "an artifact is missing on this host"),
                ],
                db_default="",
                default="",
                max_length=8,
            ),
        ),
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                condition=Q(("set_aside_at__isnull", False)),
                fields=["project", "id"],
                name="batch_set_aside",
            ),
        ),
        migrations.RunPython(retry_those_of_the_place, migrations.RunPython.noop),
    ]
