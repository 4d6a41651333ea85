"""What artifacts add up to, so that a list of very many tells it at once; and, to find one among
them, an index of how names begin.

That index is not of the model's: of PostgreSQL it takes an operator class, which SQLite does not
know, and there it holds the first hundred characters, as a name may have more than an index takes.
"""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Count, Q, Sum

COLUMNS = {
    "postgresql": "project_id, (left(name, 100)) text_pattern_ops",
    "sqlite": "project_id, name",
}


def make(apps: Any, editor: Any) -> None:
    columns = COLUMNS[editor.connection.vendor]
    editor.execute(
        f"CREATE INDEX IF NOT EXISTS use_by_beginning ON outcomes_artifactuse ({columns})"
    )


def remove(apps: Any, editor: Any) -> None:
    editor.execute("DROP INDEX use_by_beginning")


def count_what_is_there(apps: Any, editor: Any) -> None:
    uses = apps.get_model("outcomes", "ArtifactUse").objects.filter(calls__gt=0).order_by()
    total = apps.get_model("outcomes", "ArtifactTotal")
    total.objects.bulk_create(
        total(part=0, **sums)
        for sums in uses.values("environment_id").annotate(
            artifacts=Count("id"),
            stored=Count("id", filter=~Q(artifact=None)),
            read=Count("id", filter=Q(reads__gt=0)),
            size_bytes=Sum("size_bytes"),
        )
    )


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0012_agents_of_findings"),
        ("outcomes", "0023_lists_of_sessions"),
    ]

    operations = [
        migrations.CreateModel(
            name="ArtifactTotal",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("part", models.PositiveSmallIntegerField()),
                ("artifacts", models.BigIntegerField(default=0)),
                ("stored", models.BigIntegerField(default=0)),
                ("read", models.BigIntegerField(default=0)),
                ("size_bytes", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.RemoveIndex(
            model_name="artifactuse",
            name="use_by_time",
        ),
        migrations.AddIndex(
            model_name="artifactuse",
            index=models.Index(
                fields=["project", "-last_at", "-id"],
                include=("environment", "artifact", "size_bytes", "calls", "reads", "first_at"),
                name="use_by_time",
            ),
        ),
        migrations.AddField(
            model_name="artifacttotal",
            name="environment",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="governance.environment",
            ),
        ),
        migrations.AddConstraint(
            model_name="artifacttotal",
            constraint=models.UniqueConstraint(
                fields=("environment", "part"), name="one_total_of_a_part"
            ),
        ),
        migrations.RunPython(count_what_is_there, migrations.RunPython.noop),
        migrations.RunPython(make, remove),
    ]
