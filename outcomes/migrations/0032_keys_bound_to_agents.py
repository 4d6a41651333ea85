import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0015_people_behind_keys"),
        ("outcomes", "0031_faults_of_the_place"),
    ]

    operations = [
        migrations.CreateModel(
            name="SessionOwner",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "environment",
                        "session",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("session", models.BinaryField(max_length=16)),
                ("bound_to", models.CharField(max_length=128)),
                ("used_on", models.DateField()),
                (
                    "environment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="batch",
            name="bound_to",
            field=models.CharField(blank=True, db_default="", default="", max_length=128),
        ),
        migrations.AddField(
            model_name="event",
            name="bound_to",
            field=models.CharField(blank=True, db_default="", default="", max_length=128),
        ),
        migrations.AddField(
            model_name="event",
            name="set_apart",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
