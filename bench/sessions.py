"""`python -m bench.sessions`: how long the list of sessions takes, with all that its filters count.

So many sessions of ninety days are written as settling would leave them, in a store of its own;
then the product's own page of them is asked for, in one order and under one filter after the other.
"""

import argparse
import json
import random
import secrets
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from bench.stores import Store, store

DAYS, AGENTS, ROUNDS = 90, 24, 9
AT_ONCE = 20_000
COLUMNS = (
    "id", "project", "environment", "digest", "session_id", "agent", "version", "first_at",
    "last_at", "attempts", "executions", "successes", "failures", "unknown", "denied", "open",
    "disagreements", "artifacts", "stopped", "limit_name", "waste", "has", "loop", "is_read",
    "tally",
)  # fmt: skip
QUERIES = {
    "newest first": "",
    "failures first": "sort=failures",
    "calls first, of 7 days": "sort=calls&range=7d",
    "of an agent, by duration": "sort=lasted&agent=agent-3",
    "worst first": "sort=rate",
    "stopped by a limit, with waste": "state=stopped&has=waste",
    "part of an id": "q=7f3",
}


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m bench.sessions", description=__doc__)
    options.add_argument("--store", choices=["sqlite", "postgres"], default="sqlite")
    options.add_argument("--sessions", type=int, nargs="+", default=[20_000, 100_000])
    chosen = options.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="edictum-sessions-") as folder,
        store(chosen.store, Path(folder)) as where,
    ):
        where.set_up_here()
        from django.core.management import call_command  # noqa: PLC0415 - after the settings

        call_command("collectstatic", verbosity=0, interactive=False)
        for sessions in chosen.sessions:
            _measure(where, sessions)
    return 0


def _measure(where: Store, sessions: int) -> None:
    from django.test import Client  # noqa: PLC0415 - after Django's set-up
    from django.utils import timezone  # noqa: PLC0415

    from governance.core.roles import Role  # noqa: PLC0415
    from governance.models import Member, Project, User  # noqa: PLC0415
    from outcomes.sessions.commands.days import count_days  # noqa: PLC0415

    slug = f"bench-{sessions}"
    project = Project.objects.create(slug=slug, name=slug)
    began = time.perf_counter()
    _fill(project.pk, sessions)
    while count_days(timezone.now()):
        pass
    where.tidy()
    print(f"{sessions:,} sessions in {DAYS} days, written in {time.perf_counter() - began:.0f} s")
    user = User.objects.create_user(f"{slug}@example.test", secrets.token_hex(16))
    Member.objects.create(project=project, user=user, role=Role.VIEWER)
    browser = Client(SERVER_NAME="localhost")
    browser.force_login(user)
    for name, query in QUERIES.items():
        took = []
        for _ in range(ROUNDS):
            processor_then, then = time.process_time(), time.perf_counter()
            answer = browser.get(f"/p/{slug}/sessions/?{query}")
            took.append((time.perf_counter() - then, time.process_time() - processor_then))
            if answer.status_code != 200:
                raise SystemExit(f"{name}: {answer.status_code}")
        wall, processor = (median(each[place] for each in took) * 1_000 for place in (0, 1))
        print(f"{wall:7.1f} ms, {processor:6.1f} of the processor  {name}")


def _fill(project: int, sessions: int) -> None:
    from outcomes.database import bulk  # noqa: PLC0415
    from outcomes.models import Session  # noqa: PLC0415

    first = (Session.objects.order_by("-id").values_list("id", flat=True).first() or 0) + 1
    rows = _rows(project, first, sessions)
    for _ in range(0, sessions, AT_ONCE):
        bulk.insert_new(Session, COLUMNS, list(islice(rows, AT_ONCE)))


def _rows(project: int, first: int, sessions: int) -> Iterator[tuple[Any, ...]]:
    from governance.models import Bundle, BundleVersion, Environment  # noqa: PLC0415
    from outcomes.models import Agent, Session  # noqa: PLC0415
    from outcomes.record.codec import digest_of  # noqa: PLC0415

    rng = random.Random("sessions")  # noqa: S311 - figures, not secrets
    environments = [
        Environment.objects.create(project_id=project, name=name).pk
        for name in ("production", "staging")
    ]
    agents, versions = [], []
    for number in range(AGENTS):
        name = f"agent-{number}"
        agent = Agent.objects.create(project_id=project, name=name, digest=digest_of(name))
        bundle = Bundle.objects.create(project_id=project, name=f"contract-{number}")
        agents.append(agent.pk)
        versions.append(
            [
                BundleVersion.objects.create(
                    bundle=bundle, number=version, document=b"", dialect="new", session_rules=[],
                    revision_hash=secrets.token_hex(32), author="bench",
                ).pk
                for version in range(1, 6)
            ]
        )  # fmt: skip
    # As large as the stored state of a session of fifty calls.
    tally = json.dumps({"kept": [f"{rng.getrandbits(32):08x}" for _ in range(90)]})
    end = datetime.now(UTC)
    for place in range(sessions):
        last = end - timedelta(days=DAYS) * (1 - place / sessions)
        which = int(AGENTS * rng.random() ** 2)
        name = f"s-{rng.getrandbits(64):016x}"
        ran, denied = int(rng.lognormvariate(3, 1)) + 1, rng.choice((0, 0, 0, 1, 4))
        failures = rng.choice((0, 0, ran // 20, ran // 5))
        has = rng.choice((0, Session.Has.WASTE, Session.Has.ARTIFACTS)) | bool(denied)
        stopped = rng.choice(("premature", "right")) if rng.random() < 0.04 else ""
        limit = f"session-limits-{which % 3}, max_tool_calls" if stopped else ""
        yield (
            first + place, project, environments[rng.random() < 0.2], digest_of(name), name,
            agents[which], versions[which][min(4, place * 6 // sessions)],
            last - timedelta(seconds=rng.expovariate(1 / 600)), last, ran + denied, ran,
            ran - failures, failures, 0, denied, 0, 0, int(has & Session.Has.ARTIFACTS > 0),
            stopped, limit, int(has & Session.Has.WASTE > 0), has, 0, True, tally,
        )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
