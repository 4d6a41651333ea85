"""What calls have to do with artifacts, counted from the calls that are there.

Which of them read one again only their events tell: they are looked through later, some at a time.
"""

from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models

from outcomes.record.codec import digest_of

AT_ONCE = 500


def count_what_is_there(apps: Any, schema_editor: Any) -> None:
    calls = apps.get_model("outcomes", "Call").objects
    referring = calls.exclude(artifact_name="").order_by("environment", "artifact_name", "agent")
    columns = ("environment", "artifact_name", "project", "agent", "at", "artifact")
    rows = referring.values_list(*columns).iterator(chunk_size=AT_ONCE)
    by_name = ((name, list(those)) for name, those in groupby(rows, key=itemgetter(0, 1)))
    while part := list(islice(by_name, AT_ONCE)):
        write(apps, part)


def write(apps: Any, part: list[Any]) -> None:
    use, maker = (apps.get_model("outcomes", name) for name in ("ArtifactUse", "ArtifactMaker"))
    stored = {row[5] for _, rows in part for row in rows if row[5] is not None}
    sizes = dict(
        apps.get_model("outcomes", "Artifact")
        .objects.filter(pk__in=stored)
        .values_list("pk", "size_bytes")
    )
    made = [a_use(use, environment, name, rows, sizes) for (environment, name), rows in part]
    use.objects.bulk_create(made)
    maker.objects.bulk_create(
        maker(use=row, agent_id=agent, calls=len(list(those)))
        for row, (_, rows) in zip(made, part, strict=True)
        for agent, those in groupby(rows, key=itemgetter(3))
    )


def a_use(use: Any, environment: int, name: str, rows: list[Any], sizes: dict[int, int]) -> Any:
    kept = [row[5] for row in rows if row[5] in sizes]
    return use(
        project_id=rows[0][2],
        environment_id=environment,
        digest=digest_of(name),
        name=name,
        artifact_id=kept[0] if kept else None,
        size_bytes=sizes[kept[0]] if kept else 0,
        calls=len(rows),
        first_at=min(row[4] for row in rows),
        last_at=max(row[4] for row in rows),
    )


def look_through_the_rest_later(apps: Any, schema_editor: Any) -> None:
    newest = apps.get_model("outcomes", "Call").objects.order_by("id").last()
    if newest is not None:
        apps.get_model("outcomes", "OldCalls").objects.create(until=newest.pk)


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0011_demo_projects"),
        ("outcomes", "0016_rollups"),
    ]

    operations = [
        migrations.CreateModel(
            name="ArtifactMaker",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("calls", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="ArtifactUse",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("digest", models.BinaryField(max_length=16)),
                ("name", models.TextField()),
                ("size_bytes", models.BigIntegerField(default=0)),
                ("calls", models.BigIntegerField(default=0)),
                ("reads", models.BigIntegerField(default=0)),
                ("first_at", models.DateTimeField(null=True)),
                ("last_at", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["-last_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="OldCalls",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("up_to", models.BigIntegerField(default=0)),
                ("until", models.BigIntegerField()),
                ("tries", models.PositiveIntegerField(default=0)),
                ("next_try_at", models.DateTimeField(null=True)),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.AddField(
            model_name="artifact",
            name="fetched_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="artifact",
            name="fetches",
            field=models.BigIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="call",
            name="artifact_read",
            field=models.TextField(blank=True, db_default=""),
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                models.F("project"),
                django.db.models.functions.text.Left("artifact_name", 64),
                models.OrderBy(models.F("at"), descending=True),
                models.OrderBy(models.F("order"), descending=True),
                condition=models.Q(("artifact_name", ""), _negated=True),
                name="call_by_artifact_name",
            ),
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                models.F("project"),
                django.db.models.functions.text.Left("artifact_read", 64),
                models.OrderBy(models.F("at"), descending=True),
                models.OrderBy(models.F("order"), descending=True),
                condition=models.Q(("artifact_read", ""), _negated=True),
                name="call_by_artifact_read",
            ),
        ),
        migrations.AddField(
            model_name="artifactmaker",
            name="agent",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="outcomes.agent",
            ),
        ),
        migrations.AddField(
            model_name="artifactuse",
            name="artifact",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="uses",
                to="outcomes.artifact",
            ),
        ),
        migrations.AddField(
            model_name="artifactuse",
            name="environment",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="governance.environment",
            ),
        ),
        migrations.AddField(
            model_name="artifactuse",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="governance.project",
            ),
        ),
        migrations.AddField(
            model_name="artifactmaker",
            name="use",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="makers",
                to="outcomes.artifactuse",
            ),
        ),
        migrations.AddIndex(
            model_name="artifactuse",
            index=models.Index(
                models.F("project"),
                models.OrderBy(models.F("last_at"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="use_by_time",
            ),
        ),
        migrations.AddIndex(
            model_name="artifactuse",
            index=models.Index(
                models.F("project"),
                models.OrderBy(models.F("size_bytes"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="use_by_size",
            ),
        ),
        migrations.AddIndex(
            model_name="artifactuse",
            index=models.Index(
                models.F("project"),
                models.OrderBy(models.F("calls"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="use_by_calls",
            ),
        ),
        migrations.AddIndex(
            model_name="artifactuse",
            index=models.Index(
                models.F("project"),
                models.OrderBy(models.F("reads"), descending=True),
                models.OrderBy(models.F("id"), descending=True),
                name="use_by_reads",
            ),
        ),
        migrations.AddConstraint(
            model_name="artifactuse",
            constraint=models.UniqueConstraint(
                fields=("environment", "digest"), name="one_use_per_environment_and_name"
            ),
        ),
        migrations.AddIndex(
            model_name="artifactmaker",
            index=models.Index(fields=["agent", "use"], name="uses_of_an_agent"),
        ),
        migrations.AddConstraint(
            model_name="artifactmaker",
            constraint=models.UniqueConstraint(
                fields=("use", "agent"), name="one_maker_per_use_and_agent"
            ),
        ),
        migrations.RunPython(count_what_is_there, migrations.RunPython.noop),
        migrations.RunPython(look_through_the_rest_later, migrations.RunPython.noop),
    ]
