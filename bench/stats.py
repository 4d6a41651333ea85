"""`python -m bench.stats`: how long figures take, of so many calls in ninety days.

What settling would append of these calls is appended and rolled up by the product's own code, in a
store of its own; then the questions of pages are asked of it, again and again.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from bench.stores import store

DAYS, TOOLS, AGENTS = 90, 24, 8
ROUNDS = 7
AT_ONCE = 20_000  # calls per rollup change


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.stats", description=__doc__)
    options.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    options.add_argument("--calls", type=int, default=1_000_000)
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="edictum-stats-") as folder,
        store(chosen.store, Path(folder)) as where,
    ):
        where.set_up_here()
        _measure(chosen.calls)
    return 0


def _measure(calls: int) -> None:
    from governance.models import Environment, Project  # noqa: PLC0415 - after Django's set-up
    from outcomes.core.moments import Step  # noqa: PLC0415
    from outcomes.figures.queries.stats import (  # noqa: PLC0415
        figures_by,
        figures_over_time,
    )
    from outcomes.stored.queries import CallFilter  # noqa: PLC0415

    project = Project.objects.create(slug="bench", name="Bench")
    environment = Environment.objects.create(project=project, name="production")
    end = datetime.now(UTC).replace(second=0, microsecond=0)
    began = time.perf_counter()
    _fill(project.pk, environment.pk, calls, end)
    print(f"{calls:,} calls in {DAYS} days, rolled up in {time.perf_counter() - began:.0f} s")
    week, full = (CallFilter(since=end - timedelta(days=days), until=end) for days in (7, DAYS))
    last, zone = CallFilter(since=end - timedelta(hours=1), until=end), "Asia/Kolkata"
    of_agent = CallFilter(agent="agent-1", since=full.since, until=end)
    questions: dict[str, Callable[[], Any]] = {
        "an hour in minutes": lambda: figures_over_time(project.pk, last, Step.MINUTE),
        "a week in hours": lambda: figures_over_time(project.pk, week, Step.HOUR),
        "90 days in days": lambda: figures_over_time(project.pk, full, Step.DAY),
        f"90 days in days of {zone}, percentiles": lambda: figures_over_time(
            project.pk, full, Step.DAY, ZoneInfo(zone), durations=True
        ),
        "90 days by tool, percentiles": lambda: figures_by(
            project.pk, "tool", full, durations=True
        ),
        "90 days of an agent by tool, percentiles": lambda: figures_by(
            project.pk, "tool", of_agent, durations=True
        ),
        "90 days by reason": lambda: figures_by(project.pk, "reason", full),
    }
    for name, ask in questions.items():
        took = []
        for _ in range(ROUNDS):
            processor_then, then = time.process_time(), time.perf_counter()
            ask()
            took.append((time.perf_counter() - then, time.process_time() - processor_then))
        wall, processor = (median(each[place] for each in took) * 1_000 for place in (0, 1))
        print(f"{wall:7.1f} ms, {processor:6.1f} of the processor  {name}")


def _fill(project: int, environment: int, calls: int, end: datetime) -> None:
    from outcomes.core.durations import bucket_of  # noqa: PLC0415
    from outcomes.core.moments import minute_of  # noqa: PLC0415
    from outcomes.figures.codec.groups import (  # noqa: PLC0415
        code_of,
        pack_change,
    )
    from outcomes.figures.commands.rolling_up import roll_up  # noqa: PLC0415
    from outcomes.models import Agent, RollupChange, Tool  # noqa: PLC0415
    from outcomes.record.codec import digest_of  # noqa: PLC0415

    rng = random.Random("stats")  # noqa: S311 - figures, not secrets
    tools, agents = (
        [
            model.objects.create(project_id=project, name=name, digest=digest_of(name)).pk
            for name in (f"{word}-{number}" for number in range(many))
        ]
        for model, word, many in ((Tool, "tool", TOOLS), (Agent, "agent", AGENTS))
    )
    success, failure = (code_of("execution_result", each) for each in ("success", "failure"))
    denied = code_of("denied", "")
    last = minute_of(end)
    first = last - DAYS * 24 * 60
    for done in range(0, calls, AT_ONCE):
        counts: Counter[Any] = Counter()
        took: Counter[Any] = Counter()
        for number in range(done, min(done + AT_ONCE, calls)):
            minute = first + number * (last - first) // calls
            place = (minute, tools[int(TOOLS * rng.random() ** 2)], rng.choice(agents))
            luck = rng.random()
            if luck < 0.06:
                counts[(*place, denied, "limit")] += 1
                continue
            counts[(*place, failure if luck < 0.12 else success, "")] += 1
            took[(*place, bucket_of(rng.lognormvariate(4, 1)))] += 1
        packed = pack_change(
            [(*place, number, 0) for place, number in counts.items()],
            [(*place, number) for place, number in took.items()],
        )
        RollupChange.objects.create(
            environment_id=environment,
            first=min(place[0] for place in counts),
            last=max(place[0] for place in counts),
            counts=packed[0],
            durations=packed[1],
        )
        while roll_up():
            pass


if __name__ == "__main__":
    raise SystemExit(main())
