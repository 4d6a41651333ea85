"""Rename columns and tables after what they hold."""

from typing import Any

from django.db import migrations, models

OLD, NEW = "outcomes_suggestionlook", "outcomes_suggestionscan"
NAMES = "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND conname LIKE %s"


def rename_constraints(apps: Any, schema_editor: Any) -> None:
    """Rename constraints, since PostgreSQL keeps their names when the table is renamed."""
    if schema_editor.connection.vendor != "postgresql":
        return
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(NAMES, [NEW, f"{OLD}\\_%"])
        names = [name for (name,) in cursor.fetchall()]
    for name in names:
        renamed = name.replace(OLD, NEW)
        schema_editor.execute(f'ALTER TABLE {NEW} RENAME CONSTRAINT "{name}" TO "{renamed}"')


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0005_success_target")]

    operations = [
        migrations.RenameModel("SuggestionLook", "SuggestionScan"),
        migrations.RunPython(rename_constraints, migrations.RunPython.noop),
        migrations.RenameField("SuggestionScan", "asked_at", "requested_at"),
        migrations.RenameField("SuggestionScan", "is_asked_again", "is_requested_again"),
        migrations.RenameField("Suggestion", "found_at", "first_seen_at"),
        migrations.RenameField("Backtest", "taken", "calls_under"),
        migrations.RemoveIndex("Call", "call_that_asked"),
        migrations.RenameField("Call", "asked", "approval_requested"),
        migrations.AddIndex(
            "Call",
            models.Index(
                fields=["project", "at"],
                name="call_that_asked",
                condition=models.Q(approval_requested=True),
            ),
        ),
        migrations.RenameField("SessionRemoval", "asked_at", "requested_at"),
    ]
