"""Let what would be denied be counted by tool and agent from the index alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0010_success_checks"),
        ("outcomes", "0009_rejudging"),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name="call",
            name="call_that_would_be_denied",
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                condition=models.Q(("would_deny", True)),
                fields=["version", "environment", "tool", "agent"],
                name="call_that_would_be_denied",
            ),
        ),
    ]
