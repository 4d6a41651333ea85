from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0012_agents_of_findings"),
        ("outcomes", "0022_groups"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="session",
            name="session_by_time",
        ),
        migrations.RemoveIndex(
            model_name="session",
            name="session_by_state",
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
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
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                fields=["project", "attempts", "id", "last_at"], name="session_by_calls"
            ),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                fields=["project", "failures", "id", "last_at"], name="session_by_failures"
            ),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                fields=["project", "denied", "id", "last_at"], name="session_by_denied"
            ),
        ),
    ]
