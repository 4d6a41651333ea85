"""The calls that a backtest would change, one by one."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outcomes", "0013_demo_runs"),
    ]

    operations = [
        migrations.CreateModel(
            name="ChangedCall",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("change", models.CharField(max_length=13)),
                ("behind", models.TextField()),
                ("was", models.CharField(max_length=7)),
                ("was_rule", models.TextField(blank=True)),
                ("now", models.CharField(max_length=7)),
                ("rule", models.TextField(blank=True)),
                ("output", models.CharField(max_length=6)),
                (
                    "backtest",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.backtest",
                    ),
                ),
                (
                    "call",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.call",
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(fields=["backtest", "-at", "-id"], name="changed_call_by_time")
                ],
            },
        ),
    ]
