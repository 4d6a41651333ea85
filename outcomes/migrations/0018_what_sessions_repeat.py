import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0011_demo_projects"),
        ("outcomes", "0017_uses_of_artifacts"),
    ]

    operations = [
        migrations.AddField(
            model_name="session",
            name="has",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="session",
            name="is_read",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="session",
            name="limit_name",
            field=models.CharField(blank=True, max_length=200),
        ),
        migrations.AddField(
            model_name="session",
            name="loop",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="session",
            name="loop_call",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.DO_NOTHING,
                related_name="+",
                to="outcomes.call",
            ),
        ),
        migrations.AddField(
            model_name="session",
            name="loop_first_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="session",
            name="loop_last_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="session",
            name="waste",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("loop__gte", 3)),
                fields=["project", "loop_last_at"],
                name="session_with_a_loop",
            ),
        ),
        migrations.AddIndex(
            model_name="session",
            index=models.Index(
                condition=models.Q(("is_read", False)), fields=["id"], name="session_to_read_anew"
            ),
        ),
    ]
