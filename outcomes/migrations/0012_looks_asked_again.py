"""Since when a look waits, and that it was asked for again while it was at it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0011_suggestions")]

    operations = [
        migrations.AddField(
            model_name="suggestionlook",
            name="asked_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="suggestionlook",
            name="is_asked_again",
            field=models.BooleanField(default=False),
        ),
    ]
