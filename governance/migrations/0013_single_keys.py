from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0012_agents_of_findings"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="single_keys",
            field=models.BooleanField(db_default=True, default=True),
        ),
    ]
