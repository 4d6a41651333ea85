from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outcomes", "0003_fleet"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="agentminute",
            index=models.Index(
                fields=["environment", "agent", "minute"], name="minutes_of_an_agent"
            ),
        ),
    ]
