from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0026_when_calls_would_be_denied")]

    operations = [
        migrations.AddField(
            model_name="backtest",
            name="taken",
            field=models.CharField(db_default="all", default="all", max_length=11),
        ),
    ]
