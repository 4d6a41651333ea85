from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outcomes", "0004_minutes_of_an_agent"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(
                fields=["next_try_at"],
                name="batch_to_try_alone",
                condition=models.Q(next_try_at__isnull=False, set_aside_at=None),
            ),
        ),
    ]
