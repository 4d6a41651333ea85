import django.db.models.deletion
from django.db import migrations, models

# Of each agent in each environment the newest of the calls that are there already.
NEWEST = """
INSERT INTO outcomes_agentseen (environment_id, agent_id, at, call_id)
SELECT environment_id, agent_id, at, id FROM (
    SELECT environment_id, agent_id, at, id, ROW_NUMBER() OVER (
        PARTITION BY environment_id, agent_id ORDER BY at DESC, "order" DESC
    ) AS place FROM outcomes_call
) AS ranked WHERE place = 1
"""


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0004_told_assignments"),
        ("outcomes", "0002_session_store"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentReport",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("skill_scan", "Skill Scan"), ("manifest", "Manifest")],
                        max_length=10,
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("size", models.PositiveIntegerField()),
                ("body", models.BinaryField()),
                ("received_at", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
            ],
            options={
                "ordering": ["-last_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="AgentSeen",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.AddIndex(
            model_name="call",
            index=models.Index(
                condition=models.Q(("asked", True)),
                fields=["project", "at"],
                name="call_that_asked",
            ),
        ),
        migrations.AddField(
            model_name="agentreport",
            name="agent",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="reports",
                to="outcomes.agent",
            ),
        ),
        migrations.AddField(
            model_name="agentreport",
            name="environment",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="governance.environment",
            ),
        ),
        migrations.AddField(
            model_name="agentseen",
            name="agent",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="outcomes.agent",
            ),
        ),
        migrations.AddField(
            model_name="agentseen",
            name="call",
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
            model_name="agentseen",
            name="environment",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="governance.environment",
            ),
        ),
        migrations.AddIndex(
            model_name="agentreport",
            index=models.Index(
                fields=["environment", "agent", "kind", "-last_at"], name="report_by_agent"
            ),
        ),
        migrations.AddConstraint(
            model_name="agentseen",
            constraint=models.UniqueConstraint(
                fields=("environment", "agent"), name="one_newest_call_per_environment_and_agent"
            ),
        ),
        migrations.RunSQL(NEWEST, migrations.RunSQL.noop),
    ]
