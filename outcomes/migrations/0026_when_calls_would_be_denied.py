from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0025_saved_views")]

    operations = [
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                condition=models.Q(("would_deny", True)),
                fields=["version", "environment", "tool", "agent", "at"],
                name="call_would_be_denied_at",
            ),
        ),
        migrations.RemoveIndex(model_name="call", name="call_that_would_be_denied"),
    ]
