"""Rollups of durations and counts, filled from the calls that are there.

What they add up to is appended as changes, which the worker rolls up when it starts; figures are
exact before it has. The packing is the product's own: it reads whatever it packed before.
"""

from collections import Counter
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from outcomes.core.durations import bucket_of
from outcomes.figures.codec.rollups import code_of, pack_change
from outcomes.figures.domain.rollups import minute_of

AT_ONCE = 500  # that rolling them up holds up nobody who writes


def count_what_is_there(apps: Any, schema_editor: Any) -> None:
    calls = apps.get_model("outcomes", "Call").objects.order_by("environment", "id")
    columns = (
        "environment", "at", "tool", "agent", "kind", "verdict", "reason", "disagreement",
        "elapsed_ms",
    )  # fmt: skip
    rows = calls.values_list(*columns).iterator(chunk_size=AT_ONCE)
    for environment, those in groupby(rows, key=itemgetter(0)):
        while part := list(islice(those, AT_ONCE)):
            append(apps.get_model("outcomes", "RollupChange"), environment, part)


def append(change: Any, environment: int, rows: list[Any]) -> None:
    calls: Counter[Any] = Counter()
    differing: Counter[Any] = Counter()
    took: Counter[Any] = Counter()
    for _, at, tool, agent, kind, verdict, reason, disagreement, elapsed in rows:
        place = minute_of(at), tool, agent
        said = (*place, code_of(kind, verdict), reason[:64])
        calls[said] += 1
        differing[said] += disagreement
        if elapsed is not None:
            took[(*place, bucket_of(elapsed))] += 1
    counts, durations = pack_change(
        [(*said, number, differing[said]) for said, number in calls.items()],
        [(*place, number) for place, number in took.items()],
    )
    change.objects.create(
        environment_id=environment,
        first=min(said[0] for said in calls),
        last=max(said[0] for said in calls),
        counts=counts,
        durations=durations,
    )


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0011_demo_projects"),
        ("outcomes", "0015_about_sessions"),
    ]

    operations = [
        migrations.CreateModel(
            name="RollupChange",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("first", models.IntegerField()),
                ("last", models.IntegerField()),
                ("counts", models.BinaryField()),
                ("durations", models.BinaryField()),
                (
                    "environment",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Rollup",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "of",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "All"), (1, "Tool"), (2, "Agent"), (3, "Both")]
                    ),
                ),
                ("step", models.PositiveSmallIntegerField()),
                ("start", models.IntegerField()),
                ("tool", models.BigIntegerField()),
                ("agent", models.BigIntegerField()),
                ("counts", models.BinaryField()),
                ("durations", models.BinaryField()),
                (
                    "environment",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "of", "step", "start", "tool", "agent"),
                        name="one_rollup_of_its_kind",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="RollupMinute",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("minute", models.IntegerField()),
                ("counts", models.BinaryField()),
                ("durations", models.BinaryField()),
                (
                    "environment",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="governance.environment",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("environment", "minute"), name="one_rollup_of_a_minute"
                    )
                ],
            },
        ),
        migrations.RunPython(count_what_is_there, migrations.RunPython.noop),
    ]
