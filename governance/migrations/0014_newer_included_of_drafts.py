from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("governance", "0013_single_keys")]

    operations = [
        migrations.AddField(
            model_name="checkdraft",
            name="newer",
            field=models.JSONField(db_default=[], default=list),
        ),
    ]
