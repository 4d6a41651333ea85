"""When an agent was heard of otherwise than by its calls."""

from typing import Any

from django.db import migrations, models
from django.utils import timezone


def begin_now(apps: Any, _: Any) -> None:
    """Of those that only reported so far nobody kept when: their time begins to run now."""
    seen = apps.get_model("outcomes", "AgentSeen").objects
    seen.filter(at=None, heard_at=None).update(heard_at=timezone.now())


class Migration(migrations.Migration):
    dependencies = [
        ("outcomes", "0007_observed_denials"),
    ]

    operations = [
        migrations.AddField(
            model_name="agentseen",
            name="heard_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.RunPython(begin_now, migrations.RunPython.noop),
    ]
