from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0029_indexes_that_sqlite_takes")]

    operations = [
        migrations.AddField(
            model_name="rejudging", name="filters", field=models.JSONField(default=dict)
        ),
    ]
