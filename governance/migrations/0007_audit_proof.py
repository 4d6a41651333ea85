"""Keyed chain of the audit log, its signed heads, and the triggers that make it append-only."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from governance.audit_log.triggers import CREATE, DROP


def create_triggers(apps: Any, editor: Any) -> None:
    for statement in CREATE[editor.connection.vendor]:
        editor.execute(statement)


def drop_triggers(apps: Any, editor: Any) -> None:
    for statement in DROP[editor.connection.vendor]:
        editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0006_key_rotation_and_limits"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditRemoval",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("project_number", models.PositiveBigIntegerField()),
                ("up_to", models.PositiveBigIntegerField()),
            ],
        ),
        migrations.AddField(
            model_name="auditentry",
            name="address",
            field=models.CharField(db_default="", default="", max_length=64),
        ),
        migrations.AddField(
            model_name="auditentry",
            name="user_agent",
            field=models.CharField(db_default="", default="", max_length=256),
        ),
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveBigIntegerField()),
                ("hash", models.CharField(max_length=64)),
                ("at", models.DateTimeField()),
                ("public_key", models.CharField(max_length=64)),
                ("signature", models.CharField(max_length=128)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="audit_heads",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "number"), name="one_audit_head_per_project_and_number"
                    )
                ],
            },
        ),
        migrations.RunPython(create_triggers, drop_triggers),
    ]
