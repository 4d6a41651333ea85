"""Streams that send audit logs to other systems."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0007_audit_proof"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditStream",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("url", models.CharField(max_length=512)),
                ("sealed_token", models.BinaryField(default=bytes)),
                ("delivered", models.PositiveBigIntegerField(default=0)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("error", models.CharField(default="", max_length=512)),
                ("failed_since", models.DateTimeField(null=True)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("due_at", models.DateTimeField()),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="audit_stream",
                        to="governance.project",
                    ),
                ),
            ],
        ),
    ]
