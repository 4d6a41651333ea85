"""Groups of failures and denials. Those of older calls are found later, some at a time."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

NOBODYS: dict[str, Any] = {"db_constraint": False, "db_index": False, "related_name": "+"}
COUNTED = ("of", "step", "start", "tool", "agent", "group")


def look_through_what_is_there(apps: Any, schema_editor: Any) -> None:
    newest = apps.get_model("outcomes", "Call").objects.order_by("-id").first()
    if newest is not None:
        apps.get_model("outcomes", "OldCalls").objects.create(until=newest.pk)


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0012_agents_of_findings"),
        ("outcomes", "0021_marks_in_long_sessions"),
    ]

    operations = [
        migrations.CreateModel(
            name="CallGroup",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("digest", models.BinaryField(max_length=16)),
                (
                    "of",
                    models.CharField(
                        choices=[("failure", "failure"), ("denied", "denied")], max_length=7
                    ),
                ),
                ("kind", models.CharField(max_length=18)),
                ("reason", models.TextField(blank=True)),
                ("rule", models.TextField(blank=True)),
                ("check_name", models.CharField(blank=True, max_length=128)),
                ("text", models.CharField(blank=True, max_length=200)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        **NOBODYS,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="outcomes.tool",
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        **NOBODYS,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="outcomes.agent",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "digest"), name="one_group_per_digest"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="GroupRollup",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "of",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "Failures"), (1, "Failures Of Agent"), (2, "Denials")]
                    ),
                ),
                ("step", models.PositiveSmallIntegerField()),
                ("start", models.IntegerField()),
                ("tool", models.BigIntegerField()),
                ("agent", models.BigIntegerField()),
                ("group", models.BigIntegerField()),
                ("calls", models.BigIntegerField()),
                ("begun", models.BigIntegerField()),
                ("ended", models.BigIntegerField()),
                (
                    "environment",
                    models.ForeignKey(
                        **NOBODYS,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", *COUNTED), name="one_rollup_of_a_group"
                    )
                ],
                "indexes": [
                    models.Index(
                        fields=["group", "environment", "of", "agent", "step", "start"],
                        name="rollups_of_a_group",
                    )
                ],
            },
        ),
        migrations.AddField("rollupchange", "groups", models.BinaryField(null=True)),
        migrations.AddField("rollupminute", "groups", models.BinaryField(null=True)),
        migrations.AddField(
            "call",
            "group",
            models.ForeignKey(
                **NOBODYS,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                to="outcomes.callgroup",
            ),
        ),
        migrations.AddIndex(
            "call",
            models.Index(
                models.F("group"),
                models.F("at").desc(),
                models.F("order").desc(),
                models.F("environment"),
                condition=models.Q(("group", None), _negated=True),
                name="call_by_group",
            ),
        ),
        migrations.AddIndex(
            "call",
            models.Index(
                condition=models.Q(("group", None), _negated=True),
                fields=["group", "session", "agent", "at"],
                name="call_by_group_and_session",
            ),
        ),
        migrations.RunPython(look_through_what_is_there, migrations.RunPython.noop),
    ]
