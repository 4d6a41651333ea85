"""What is suggested for the checks of a project, and where agents and checks differ, by time."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0010_success_checks"),
        ("outcomes", "0010_who_would_be_denied"),
    ]

    operations = [
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
            ],
            options={
                "ordering": ["-results", "id"],
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
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                condition=models.Q(("disagreement", True)),
                fields=["project", "at"],
                name="call_that_disagrees",
            ),
        ),
        migrations.AddField(
            model_name="suggestion",
            name="effect",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="outcomes.rejudging",
            ),
        ),
        migrations.AddField(
            model_name="suggestion",
            name="project",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="governance.project",
            ),
        ),
        migrations.AddField(
            model_name="suggestion",
            name="tool",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="+", to="outcomes.tool"
            ),
        ),
        migrations.AddField(
            model_name="suggestionlook",
            name="project",
            field=models.OneToOneField(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="governance.project",
            ),
        ),
        migrations.AddConstraint(
            model_name="suggestion",
            constraint=models.UniqueConstraint(
                fields=("tool", "check_name", "rule"), name="one_suggestion_per_tool_and_rule"
            ),
        ),
        migrations.AddConstraint(
            model_name="suggestion",
            constraint=models.CheckConstraint(
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
        ),
        migrations.AddConstraint(
            model_name="suggestion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("results__gt", 0), ("dismissed_at__isnull", False), _connector="OR"
                ),
                name="a_suggestion_without_results_is_dismissed",
            ),
        ),
        migrations.AddIndex(
            model_name="suggestionlook",
            index=models.Index(
                condition=models.Q(("status__in", ["queued", "running"])),
                fields=["id"],
                name="look_that_waits",
            ),
        ),
        migrations.AddConstraint(
            model_name="suggestionlook",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at", None), ("status__in", ["queued", "running"])),
                    models.Q(
                        ("finished_at__isnull", False),
                        ("status__in", ["done", "failed", "cancelled"]),
                    ),
                    _connector="OR",
                ),
                name="a_look_that_ended_says_when",
            ),
        ),
    ]
