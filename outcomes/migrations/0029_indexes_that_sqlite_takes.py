from typing import Any

from django.db import migrations, models
from django.db.models import F, Q


class OnSqlite:
    """PostgreSQL understands both ways to say the condition: there nothing is built anew."""

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        if schema_editor.connection.vendor == "sqlite":
            super().database_forwards(app_label, schema_editor, *states)  # type: ignore[misc]

    def database_backwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        if schema_editor.connection.vendor == "sqlite":
            super().database_backwards(app_label, schema_editor, *states)  # type: ignore[misc]


class RemoveIndex(OnSqlite, migrations.RemoveIndex):
    pass


class AddIndex(OnSqlite, migrations.AddIndex):
    pass


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0028_sessions_by_day")]

    operations = [
        RemoveIndex(model_name="call", name="call_by_group"),
        RemoveIndex(model_name="call", name="call_by_group_and_session"),
        RemoveIndex(model_name="call", name="call_by_artifact"),
        AddIndex(
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
        AddIndex(
            model_name="call",
            index=models.Index(
                fields=["group", "session", "agent", "at"],
                condition=Q(group__isnull=False),
                name="call_by_group_and_session",
            ),
        ),
        AddIndex(
            model_name="call",
            index=models.Index(
                fields=["artifact"],
                condition=Q(artifact__isnull=False),
                name="call_by_artifact",
            ),
        ),
    ]
