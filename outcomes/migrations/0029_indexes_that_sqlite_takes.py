from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    """The same indexes, with their condition in the words from which SQLite concludes."""

    dependencies = [("outcomes", "0028_sessions_by_day")]

    operations = [
        migrations.RemoveIndex(model_name="call", name="call_by_group"),
        migrations.RemoveIndex(model_name="call", name="call_by_group_and_session"),
        migrations.RemoveIndex(model_name="call", name="call_by_artifact"),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                F("group"),
                F("at").desc(),
                F("order").desc(),
                F("environment"),
                condition=Q(group__isnull=False),
                name="call_by_group",
            ),
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                fields=["group", "session", "agent", "at"],
                condition=Q(group__isnull=False),
                name="call_by_group_and_session",
            ),
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                fields=["artifact"],
                condition=Q(artifact__isnull=False),
                name="call_by_artifact",
            ),
        ),
    ]
