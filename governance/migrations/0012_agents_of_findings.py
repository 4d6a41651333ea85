from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0011_demo_projects"),
    ]

    operations = [
        migrations.AddField(
            model_name="finding",
            name="agent",
            field=models.CharField(blank=True, db_default="", default="", max_length=400),
        ),
    ]
