from typing import Any

from django.db import migrations, models
from django.db.models import Case, F, Value, When

TYPE = ["timeout", "failure"]


def name_deciders(apps: Any, schema_editor: Any) -> None:
    """Of verdicts given by the earlier rule: a check's before the agent's."""
    calls = apps.get_model("outcomes", "Call").objects.exclude(verdict="")
    calls.update(
        decided_by=Case(
            When(kind__in=TYPE, then=Value("type")),
            When(classified="", reported="", then=Value("")),
            When(classified="", then=Value("agent")),
            When(check_name="default", then=Value("default")),
            default=Value("check"),
        )
    )
    apps.get_model("outcomes", "PastVerdict").objects.update(
        effective=F("verdict"),
        decided_by=Case(When(check_name="default", then=Value("default")), default=Value("check")),
    )


class Migration(migrations.Migration):
    dependencies = [("outcomes", "0032_keys_bound_to_agents")]

    operations = [
        migrations.AddField(
            "call", "decided_by", models.CharField(blank=True, db_default="", max_length=7)
        ),
        migrations.AddField(
            "pastverdict", "effective", models.CharField(blank=True, db_default="", max_length=7)
        ),
        migrations.AddField(
            "pastverdict", "decided_by", models.CharField(blank=True, db_default="", max_length=7)
        ),
        migrations.RunPython(name_deciders, migrations.RunPython.noop, elidable=True),
    ]
