"""Columns and tables that are named for what they hold."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0005_success_target")]

    operations = [
        migrations.RenameModel("SuggestionLook", "SuggestionScan"),
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
