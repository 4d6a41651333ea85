from django.db import migrations, models


class Migration(migrations.Migration):
    """A verdict says whether it depends on text that its check did not read."""

    dependencies = [("outcomes", "0033_who_decided_verdicts")]

    operations = [
        migrations.AddField("call", "cut", models.BooleanField(db_default=False)),
        migrations.AddField("pastverdict", "cut", models.BooleanField(db_default=False)),
    ]
