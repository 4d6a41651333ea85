"""All tables, and two indexes that find sessions and artifacts by how their ids and names begin.

No model declares these two: on PostgreSQL they need an operator class, which SQLite does not have,
and there they hold the first hundred characters, because an id may be longer than an index takes.
"""

from typing import Any

import django.db.models.deletion
import django.db.models.functions.text
from django.conf import settings
from django.db import migrations, models

PREFIX_INDEXES = {
    "session_by_beginning": ("outcomes_session", "session_id"),
    "use_by_beginning": ("outcomes_artifactuse", "name"),
}


def create_prefix_indexes(apps: Any, editor: Any) -> None:
    for index, (table, column) in PREFIX_INDEXES.items():
        if editor.connection.vendor == "postgresql":
            column = f"(left({column}, 100)) text_pattern_ops"
        editor.execute(f"CREATE INDEX {index} ON {table} (project_id, {column})")


def drop_prefix_indexes(apps: Any, editor: Any) -> None:
    for index in PREFIX_INDEXES:
        editor.execute(f"DROP INDEX {index}")


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("governance", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Agent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.BinaryField(max_length=16)),
                ("name", models.TextField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "digest"), name="one_agent_per_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="Artifact",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("sha256", models.CharField(max_length=64)),
                ("size_bytes", models.BigIntegerField()),
                ("media_type", models.CharField(max_length=128)),
                ("created_at", models.DateTimeField()),
                ("fetches", models.BigIntegerField(db_default=0, default=0)),
                ("fetched_at", models.DateTimeField(null=True)),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "sha256"), name="one_artifact_per_content"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ArtifactTotal",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("part", models.PositiveSmallIntegerField()),
                ("artifacts", models.BigIntegerField(default=0)),
                ("stored", models.BigIntegerField(default=0)),
                ("read", models.BigIntegerField(default=0)),
                ("size_bytes", models.BigIntegerField(default=0)),
                (
                    "environment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "part"), name="one_total_of_a_part"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Backtest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=9,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("heard_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                ("total", models.PositiveIntegerField(default=0)),
                ("passed", models.PositiveIntegerField(default=0)),
                ("result", models.JSONField(default=dict)),
                ("bundle_name", models.CharField(max_length=128)),
                ("document", models.BinaryField()),
                ("revision_hash", models.CharField(max_length=64)),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField()),
                ("agents", models.JSONField(default=list)),
                ("tools", models.JSONField(default=list)),
                ("taken", models.CharField(db_default="all", default="all", max_length=11)),
                ("author", models.CharField(max_length=254)),
                ("created_at", models.DateTimeField()),
                ("newly_denied", models.PositiveIntegerField(default=0)),
                ("newly_allowed", models.PositiveIntegerField(default=0)),
                ("newly_asking", models.PositiveIntegerField(default=0)),
                ("changed", models.PositiveIntegerField(default=0)),
                ("undetermined", models.PositiveIntegerField(default=0)),
                ("unchanged", models.PositiveIntegerField(default=0)),
                ("drift", models.PositiveIntegerField(default=0)),
                ("not_replayed", models.PositiveIntegerField(default=0)),
                (
                    "environment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="governance.bundleversion",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        fields=["project", "bundle_name", "-id"], name="backtest_by_bundle"
                    ),
                    models.Index(
                        fields=["project", "revision_hash", "-id"], name="backtest_by_bytes"
                    ),
                    models.Index(
                        condition=models.Q(("status__in", ["queued", "running"])),
                        fields=["id"],
                        name="backtest_that_waits",
                    ),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at", None), ("status__in", ["queued", "running"])),
                            models.Q(
                                ("finished_at__isnull", False),
                                ("status__in", ["done", "failed", "cancelled"]),
                            ),
                            _connector="OR",
                        ),
                        name="a_backtest_that_ended_says_when",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("agent", models.CharField(blank=True, max_length=128)),
                (
                    "bound_to",
                    models.CharField(blank=True, db_default="", default="", max_length=128),
                ),
                (
                    "source",
                    models.CharField(
                        choices=[("outcomes", "outcomes"), ("events", "events")], max_length=8
                    ),
                ),
                ("items", models.PositiveIntegerField()),
                ("body", models.BinaryField()),
                ("received_at", models.DateTimeField()),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("next_try_at", models.DateTimeField(null=True)),
                ("error", models.TextField(blank=True)),
                (
                    "fault",
                    models.CharField(
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
                ("set_aside_at", models.DateTimeField(null=True)),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(fields=["project", "id"], name="batch_by_project"),
                    models.Index(
                        condition=models.Q(("set_aside_at", None)),
                        fields=["id"],
                        name="batch_waiting",
                    ),
                    models.Index(
                        condition=models.Q(("next_try_at__isnull", False), ("set_aside_at", None)),
                        fields=["next_try_at"],
                        name="batch_to_try_alone",
                    ),
                    models.Index(
                        condition=models.Q(("set_aside_at__isnull", False)),
                        fields=["project", "id"],
                        name="batch_set_aside",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="DemoRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=9,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("heard_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                ("total", models.PositiveIntegerField(default=0)),
                ("passed", models.PositiveIntegerField(default=0)),
                ("result", models.JSONField(default=dict)),
                ("calls", models.PositiveIntegerField(default=0)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at", None), ("status__in", ["queued", "running"])),
                            models.Q(
                                ("finished_at__isnull", False),
                                ("status__in", ["done", "failed", "cancelled"]),
                            ),
                            _connector="OR",
                        ),
                        name="a_demo_that_ended_says_when",
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
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["group", "environment", "of", "agent", "step", "start"],
                        name="rollups_of_a_group",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "of", "step", "start", "tool", "agent", "group"),
                        name="one_rollup_of_a_group",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RejectedItem",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("agent", models.CharField(blank=True, max_length=128)),
                (
                    "source",
                    models.CharField(
                        choices=[("outcomes", "outcomes"), ("events", "events")], max_length=8
                    ),
                ),
                ("index", models.PositiveIntegerField()),
                ("code", models.CharField(max_length=64)),
                ("detail", models.TextField()),
                ("excerpt", models.BinaryField()),
                ("received_at", models.DateTimeField()),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["project", "-id"], name="rejected_by_project")],
            },
        ),
        migrations.CreateModel(
            name="Rejudging",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=9,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("heard_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                ("total", models.PositiveIntegerField(default=0)),
                ("passed", models.PositiveIntegerField(default=0)),
                ("result", models.JSONField(default=dict)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("check_backtest", "Check Backtest"),
                            ("reclassification", "Reclassification"),
                        ],
                        max_length=16,
                    ),
                ),
                ("check_name", models.CharField(blank=True, max_length=128)),
                ("check_version", models.PositiveIntegerField(null=True)),
                ("document", models.BinaryField(default=bytes)),
                ("packed", models.BinaryField(default=bytes)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                (
                    "scope",
                    models.CharField(
                        choices=[("bound", "Bound"), ("all", "All")], default="bound", max_length=5
                    ),
                ),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField()),
                ("agents", models.JSONField(default=list)),
                ("tools", models.JSONField(default=list)),
                ("filters", models.JSONField(default=dict)),
                ("author", models.CharField(max_length=254)),
                ("created_at", models.DateTimeField()),
                (
                    "environment",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [
                    models.Index(
                        fields=["project", "kind", "check_name", "-id"], name="rejudging_by_check"
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at", None), ("status__in", ["queued", "running"])),
                            models.Q(
                                ("finished_at__isnull", False),
                                ("status__in", ["done", "failed", "cancelled"]),
                            ),
                            _connector="OR",
                        ),
                        name="a_rejudging_that_ended_says_when",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Rollup",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("counts", models.BinaryField()),
                ("durations", models.BinaryField()),
                (
                    "of",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "All"), (1, "Tool"), (2, "Agent"), (3, "Both")]
                    ),
                ),
                ("step", models.PositiveSmallIntegerField()),
                ("start", models.IntegerField()),
                ("tool", models.BigIntegerField()),
                ("agent", models.BigIntegerField()),
                (
                    "environment",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "of", "step", "start", "tool", "agent"),
                        name="one_rollup_of_its_kind",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RollupChange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("first", models.IntegerField()),
                ("last", models.IntegerField()),
                ("counts", models.BinaryField()),
                ("durations", models.BinaryField()),
                ("groups", models.BinaryField(null=True)),
                (
                    "environment",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RollupMinute",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("counts", models.BinaryField()),
                ("durations", models.BinaryField()),
                ("minute", models.IntegerField()),
                ("groups", models.BinaryField(null=True)),
                (
                    "environment",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "minute"), name="one_rollup_of_a_minute"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=80)),
                ("query", models.CharField(blank=True, max_length=2000)),
                ("author", models.CharField(max_length=320)),
                ("at", models.DateTimeField()),
                (
                    "owner",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("project", "owner", "name"), name="one_view_per_person_and_name"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("owner", None)),
                        fields=("project", "name"),
                        name="one_shared_view_of_a_name",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SessionDay",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("day", models.IntegerField()),
                ("sessions", models.PositiveIntegerField()),
                ("groups", models.BinaryField()),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("project", "day"), name="one_count_of_a_day")
                ],
            },
        ),
        migrations.CreateModel(
            name="SessionDayChange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("day", models.IntegerField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SessionOwner",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "environment",
                        "session",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session", models.BinaryField(max_length=16)),
                ("bound_to", models.CharField(max_length=128)),
                ("used_on", models.DateField()),
                (
                    "environment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StoredValue",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "environment",
                        "digest",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("key", models.TextField()),
                ("session", models.BinaryField(max_length=16, null=True)),
                ("number", models.BigIntegerField(null=True)),
                ("text", models.BinaryField(null=True)),
                ("used_on", models.DateField()),
                (
                    "environment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["environment", "session"], name="stored_value_by_session")
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("number", None), ("text", None), _connector="XOR"),
                        name="a_stored_value_is_a_number_or_a_text",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SuggestionLook",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=9,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("heard_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                ("total", models.PositiveIntegerField(default=0)),
                ("passed", models.PositiveIntegerField(default=0)),
                ("result", models.JSONField(default=dict)),
                ("seen", models.BigIntegerField(default=0)),
                ("judges", models.CharField(blank=True, max_length=200)),
                ("looked_at", models.DateTimeField(null=True)),
                ("looked_at_all", models.DateTimeField(null=True)),
                ("asked_at", models.DateTimeField(null=True)),
                ("is_asked_again", models.BooleanField(default=False)),
                (
                    "project",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("status__in", ["queued", "running"])),
                        fields=["id"],
                        name="look_that_waits",
                    )
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at", None), ("status__in", ["queued", "running"])),
                            models.Q(
                                ("finished_at__isnull", False),
                                ("status__in", ["done", "failed", "cancelled"]),
                            ),
                            _connector="OR",
                        ),
                        name="a_look_that_ended_says_when",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="TickedLine",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.BinaryField(max_length=16)),
                ("rule", models.TextField()),
                ("tool", models.TextField()),
                ("agent", models.TextField()),
                ("calls", models.PositiveIntegerField()),
                ("up_to", models.BigIntegerField()),
                ("author", models.CharField(max_length=320)),
                ("at", models.DateTimeField()),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.bundleversion",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("version", "environment", "digest"),
                        name="a_line_is_ticked_off_once",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Tool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.BinaryField(max_length=16)),
                ("name", models.TextField()),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(fields=("project", "digest"), name="one_tool_per_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="AgentReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("skill_scan", "Skill Scan"), ("manifest", "Manifest")],
                        max_length=10,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("size", models.PositiveIntegerField()),
                ("body", models.BinaryField()),
                ("received_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                (
                    "agent",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="outcomes.agent",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "ordering": ["-last_at", "-id"],
                "indexes": [
                    models.Index(
                        fields=["environment", "agent", "kind", "-last_at"], name="report_by_agent"
                    )
                ],
            },
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
                (
                    "artifact",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="uses",
                        to="outcomes.artifact",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-last_at", "-id"],
                "indexes": [
                    models.Index(
                        fields=["project", "-last_at", "-id"],
                        include=(
                            "environment",
                            "artifact",
                            "size_bytes",
                            "calls",
                            "reads",
                            "first_at",
                        ),
                        name="use_by_time",
                    ),
                    models.Index(
                        models.F("project"),
                        models.OrderBy(models.F("size_bytes"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="use_by_size",
                    ),
                    models.Index(
                        models.F("project"),
                        models.OrderBy(models.F("calls"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="use_by_calls",
                    ),
                    models.Index(
                        models.F("project"),
                        models.OrderBy(models.F("reads"), descending=True),
                        models.OrderBy(models.F("id"), descending=True),
                        name="use_by_reads",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "digest"), name="one_use_per_environment_and_name"
                    )
                ],
            },
        ),
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
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.agent",
                    ),
                ),
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
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.tool",
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
            name="Event",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("call_digest", models.BinaryField(max_length=16)),
                ("digest", models.BinaryField(max_length=32)),
                ("source", models.CharField(max_length=8)),
                ("received_at", models.DateTimeField()),
                ("item", models.BinaryField()),
                (
                    "bound_to",
                    models.CharField(blank=True, db_default="", default="", max_length=128),
                ),
                ("set_apart", models.BooleanField(db_default=False, default=False)),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.agent",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["project", "-id"], name="event_by_project")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "call_digest", "digest"),
                        name="one_event_however_often_sent",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RejudgingPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=9,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("heard_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("error", models.CharField(blank=True, max_length=500)),
                ("total", models.PositiveIntegerField(default=0)),
                ("passed", models.PositiveIntegerField(default=0)),
                ("result", models.JSONField(default=dict)),
                ("number", models.PositiveSmallIntegerField()),
                ("first", models.BigIntegerField(null=True)),
                ("last", models.BigIntegerField(null=True)),
                ("place", models.JSONField(default=dict)),
                (
                    "rejudging",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="outcomes.rejudging",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("status__in", ["queued", "running"])),
                        fields=["id"],
                        name="part_that_waits",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("rejudging", "number"), name="one_part_per_rejudging_and_number"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at", None), ("status__in", ["queued", "running"])),
                            models.Q(
                                ("finished_at__isnull", False),
                                ("status__in", ["done", "failed", "cancelled"]),
                            ),
                            _connector="OR",
                        ),
                        name="a_part_that_ended_says_when",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Session",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("digest", models.BinaryField(max_length=16)),
                ("session_id", models.TextField()),
                ("first_at", models.DateTimeField(null=True)),
                ("last_at", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("executions", models.PositiveIntegerField(default=0)),
                ("successes", models.PositiveIntegerField(default=0)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("unknown", models.PositiveIntegerField(default=0)),
                ("denied", models.PositiveIntegerField(default=0)),
                ("open", models.PositiveIntegerField(default=0)),
                ("disagreements", models.PositiveIntegerField(default=0)),
                ("artifacts", models.PositiveIntegerField(default=0)),
                (
                    "stopped",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("premature", "Premature"),
                            ("delayed", "Delayed"),
                            ("right", "Right"),
                            ("unjudged", "Unjudged"),
                        ],
                        max_length=9,
                    ),
                ),
                ("limit_name", models.CharField(blank=True, max_length=200)),
                ("waste", models.PositiveIntegerField(default=0)),
                ("has", models.PositiveSmallIntegerField(default=0)),
                ("loop", models.PositiveIntegerField(default=0)),
                ("loop_first_at", models.DateTimeField(null=True)),
                ("loop_last_at", models.DateTimeField(null=True)),
                ("is_read", models.BooleanField(default=False)),
                ("tally", models.TextField(blank=True)),
                (
                    "agent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.agent",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="governance.bundleversion",
                    ),
                ),
            ],
            options={
                "ordering": ["-last_at", "-id"],
                "indexes": [
                    models.Index(
                        fields=[
                            "project",
                            "last_at",
                            "id",
                            "environment",
                            "agent",
                            "version",
                            "stopped",
                            "limit_name",
                            "has",
                            "attempts",
                            "failures",
                            "denied",
                            "successes",
                            "first_at",
                            "waste",
                        ],
                        name="session_in_lists",
                    ),
                    models.Index(
                        fields=["project", "attempts", "id", "last_at"], name="session_by_calls"
                    ),
                    models.Index(
                        fields=["project", "failures", "id", "last_at"], name="session_by_failures"
                    ),
                    models.Index(
                        fields=["project", "denied", "id", "last_at"], name="session_by_denied"
                    ),
                    models.Index(
                        condition=models.Q(("loop__gte", 3)),
                        fields=["project", "loop_last_at"],
                        name="session_with_a_loop",
                    ),
                    models.Index(
                        condition=models.Q(("is_read", False)),
                        fields=["id"],
                        name="session_to_read_anew",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "digest"), name="one_session_per_environment_and_id"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Suggestion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("check_name", models.CharField(max_length=128)),
                ("rule", models.CharField(max_length=128)),
                ("results", models.PositiveIntegerField()),
                ("of", models.PositiveIntegerField()),
                ("first_at", models.DateTimeField(null=True)),
                ("last_at", models.DateTimeField(null=True)),
                ("judge", models.CharField(blank=True, max_length=128)),
                ("saw", models.JSONField(default=list)),
                ("samples", models.JSONField(default=list)),
                ("found_at", models.DateTimeField()),
                ("looked_at", models.DateTimeField()),
                ("dismissed_by", models.CharField(blank=True, max_length=320)),
                ("dismissed_at", models.DateTimeField(null=True)),
                (
                    "effect",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="outcomes.rejudging",
                    ),
                ),
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
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.tool",
                    ),
                ),
            ],
            options={
                "ordering": ["-results", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tool", "check_name", "rule"),
                        name="one_suggestion_per_tool_and_rule",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("dismissed_at", None), ("dismissed_by", "")),
                            models.Q(
                                models.Q(("dismissed_by", ""), _negated=True),
                                ("dismissed_at__isnull", False),
                            ),
                            _connector="OR",
                        ),
                        name="a_suggestion_was_dismissed_by_somebody_or_not_at_all",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("results__gt", 0), ("dismissed_at__isnull", False), _connector="OR"
                        ),
                        name="a_suggestion_without_results_is_dismissed",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ArtifactMaker",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("calls", models.BigIntegerField(default=0)),
                (
                    "agent",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.agent",
                    ),
                ),
                (
                    "use",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="makers",
                        to="outcomes.artifactuse",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["agent", "use"], name="uses_of_an_agent")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("use", "agent"), name="one_maker_per_use_and_agent"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Call",
            fields=[
                ("id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("digest", models.BinaryField(max_length=16)),
                ("call_id", models.TextField()),
                ("turn_id", models.TextField(blank=True)),
                ("at", models.DateTimeField()),
                ("call_index", models.BigIntegerField(default=0)),
                ("order", models.BigIntegerField()),
                ("received_at", models.DateTimeField()),
                (
                    "kind",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "Open"),
                            ("execution_result", "Execution Result"),
                            ("timeout", "Timeout"),
                            ("failure", "Failure"),
                            ("denied", "Denied"),
                            ("artifact_reference", "Artifact Reference"),
                        ],
                        max_length=18,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("detail", models.CharField(blank=True, max_length=200)),
                ("rule", models.TextField(blank=True)),
                ("elapsed_ms", models.FloatField(null=True)),
                ("reported", models.CharField(blank=True, max_length=7)),
                ("classified", models.CharField(blank=True, max_length=7)),
                ("verdict", models.CharField(blank=True, max_length=7)),
                ("decided_by", models.CharField(blank=True, db_default="", max_length=7)),
                ("disagreement", models.BooleanField()),
                ("check_name", models.CharField(blank=True, max_length=128)),
                ("check_version", models.PositiveIntegerField(null=True)),
                ("check_rule", models.CharField(blank=True, max_length=128)),
                ("check_value", models.TextField(blank=True)),
                ("verdict_reason", models.TextField(blank=True)),
                ("labels", models.CharField(blank=True, max_length=200)),
                ("cut", models.BooleanField(db_default=False)),
                ("would_deny", models.BooleanField()),
                ("conflict", models.BooleanField()),
                ("asked", models.BooleanField()),
                ("idempotent", models.BooleanField()),
                ("blocks_tool", models.BooleanField()),
                ("from_sdk", models.BooleanField()),
                ("arguments", models.BinaryField(max_length=16, null=True)),
                ("artifact_name", models.TextField(blank=True)),
                ("artifact_read", models.TextField(blank=True, db_default="")),
                ("policy_version", models.TextField(blank=True)),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.agent",
                    ),
                ),
                (
                    "artifact",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="calls",
                        to="outcomes.artifact",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="governance.bundleversion",
                    ),
                ),
                (
                    "group",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="outcomes.callgroup",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="calls",
                        to="outcomes.session",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.tool",
                    ),
                ),
            ],
            options={
                "ordering": ["-at", "-order"],
                "indexes": [
                    models.Index(
                        models.F("project"),
                        models.OrderBy(models.F("at"), descending=True),
                        models.OrderBy(models.F("order"), descending=True),
                        name="call_by_time",
                    ),
                    models.Index(fields=["session", "at"], name="call_by_session"),
                    models.Index(fields=["tool", "at"], name="call_by_tool"),
                    models.Index(
                        models.F("project"),
                        models.OrderBy(models.F("at"), descending=True),
                        models.OrderBy(models.F("order"), descending=True),
                        condition=models.Q(("session", None)),
                        name="call_without_session",
                    ),
                    models.Index(
                        models.F("group"),
                        models.OrderBy(models.F("at"), descending=True),
                        models.OrderBy(models.F("order"), descending=True),
                        models.F("environment"),
                        condition=models.Q(("group__isnull", False)),
                        name="call_by_group",
                    ),
                    models.Index(
                        condition=models.Q(("group__isnull", False)),
                        fields=["group", "session", "agent", "at"],
                        name="call_by_group_and_session",
                    ),
                    models.Index(
                        condition=models.Q(("artifact__isnull", False)),
                        fields=["artifact"],
                        name="call_by_artifact",
                    ),
                    models.Index(
                        models.F("project"),
                        django.db.models.functions.text.Left("artifact_name", 64),
                        models.OrderBy(models.F("at"), descending=True),
                        models.OrderBy(models.F("order"), descending=True),
                        condition=models.Q(("artifact_name", ""), _negated=True),
                        name="call_by_artifact_name",
                    ),
                    models.Index(
                        models.F("project"),
                        django.db.models.functions.text.Left("artifact_read", 64),
                        models.OrderBy(models.F("at"), descending=True),
                        models.OrderBy(models.F("order"), descending=True),
                        condition=models.Q(("artifact_read", ""), _negated=True),
                        name="call_by_artifact_read",
                    ),
                    models.Index(
                        condition=models.Q(("would_deny", True)),
                        fields=["version", "environment", "tool", "agent", "at"],
                        name="call_would_be_denied_at",
                    ),
                    models.Index(
                        condition=models.Q(("asked", True)),
                        fields=["project", "at"],
                        name="call_that_asked",
                    ),
                    models.Index(
                        condition=models.Q(("disagreement", True)),
                        fields=["project", "at"],
                        name="call_that_disagrees",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "digest"), name="one_call_per_environment_and_id"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("classified", ""),
                            models.Q(
                                models.Q(("kind", ""), _negated=True),
                                models.Q(("kind", "denied"), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="only_a_call_with_an_outcome_is_classified",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ChildSession",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("parent_digest", models.BinaryField(max_length=16)),
                ("parent", models.TextField()),
                (
                    "environment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parents",
                        to="outcomes.session",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "parent_digest", "session"),
                        name="one_child_session_per_parent",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SessionMark",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("number", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                ("state", models.TextField()),
                (
                    "session",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.session",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("session", "number"), name="one_mark_per_session_and_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="SessionNote",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("author", models.CharField(max_length=320)),
                ("text", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "session",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notes",
                        to="outcomes.session",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="SessionRemoval",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("asked_by", models.CharField(max_length=320)),
                ("asked_at", models.DateTimeField()),
                ("calls", models.BigIntegerField(default=0)),
                ("events", models.BigIntegerField(default=0)),
                ("artifacts", models.BigIntegerField(default=0)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("next_try_at", models.DateTimeField(null=True)),
                (
                    "session",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="removal",
                        to="outcomes.session",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="AgentSeen",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(null=True)),
                ("heard_at", models.DateTimeField(null=True)),
                (
                    "agent",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="outcomes.agent",
                    ),
                ),
                (
                    "environment",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
                (
                    "call",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="outcomes.call",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "agent"),
                        name="one_newest_call_per_environment_and_agent",
                    )
                ],
            },
        ),
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
        migrations.CreateModel(
            name="PastVerdict",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("check_name", models.CharField(max_length=128)),
                ("check_version", models.PositiveIntegerField(null=True)),
                ("verdict", models.CharField(max_length=7)),
                ("effective", models.CharField(blank=True, db_default="", max_length=7)),
                ("decided_by", models.CharField(blank=True, db_default="", max_length=7)),
                ("rule", models.CharField(blank=True, max_length=128)),
                ("value", models.TextField(blank=True)),
                ("reason", models.TextField(blank=True)),
                ("labels", models.CharField(blank=True, max_length=200)),
                ("cut", models.BooleanField(db_default=False)),
                ("until", models.DateTimeField()),
                (
                    "call",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="past_verdicts",
                        to="outcomes.call",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.project",
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "indexes": [
                    models.Index(
                        fields=["project", "check_name", "check_version"],
                        name="past_verdict_by_version",
                    )
                ],
            },
        ),
        migrations.AddField(
            model_name="session",
            name="loop_call",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="outcomes.call",
            ),
        ),
        migrations.RunPython(create_prefix_indexes, drop_prefix_indexes),
    ]
