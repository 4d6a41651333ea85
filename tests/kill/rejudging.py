"""Runs processes that reclassify calls while another settles, each killed at a seeded moment.

Separate program, `python -m tests.kill.rejudging <database> <seed> <lives>`: it forks a process for
each life, so that a kill doesn't cost a new start of Python.
"""

import json
import os
import random
import signal
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import django
from django.conf import settings

AT_ONCE = 2  # processes that reclassify
LATEST = 60  # maximum steps of a process before it is killed


def main(database: str, seed: int, lives: int) -> None:
    settings.DATABASES["default"]["NAME"] = database
    django.setup()
    chance, deaths = random.Random(seed), 0  # noqa: S311 - repeatable on purpose
    in_small_pieces()
    for _ in range(lives):
        begun = [forked(judge, chance.randint(1, LATEST)) for _ in range(AT_ONCE)]
        begun.append(forked(settle, chance.randint(1, LATEST)))
        deaths += sum(os.waitpid(each, 0)[1] == signal.SIGKILL for each in begun)
        done = forked(take_up_what_was_lost)
        os.waitpid(done, 0)
    for last in (settle, take_up_what_was_lost, settle, judge, take_up_what_was_lost):
        os.waitpid(forked(last), 0)
    sys.stdout.write(json.dumps({"deaths": deaths}))


def forked(work: Callable[[], object], killed_at: int = 0) -> int:
    number = os.fork()
    if number:
        return number
    try:
        if killed_at:
            kill_at(killed_at)
        work()
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - told, and nothing of the parent's is run here
        sys.stderr.write(f"{error!r}\n")
        os._exit(1)


def in_small_pieces() -> None:
    from outcomes.reclassification import selection as choosing  # noqa: PLC0415 - after the settings
    from outcomes.reclassification.commands import parts as rejudging_parts  # noqa: PLC0415 - after the settings
    from outcomes.settling import claims  # noqa: PLC0415 - after the settings

    choosing.ROWS, choosing.SESSIONS = 40, 5  # type: ignore[misc]
    rejudging_parts.AT_ONCE = 15  # type: ignore[misc]
    claims.ITEMS = 30


def judge() -> None:
    from tests.outcomes.waiting_jobs import run_waiting_parts  # noqa: PLC0415 - after the settings

    run_waiting_parts()


def settle() -> None:
    from outcomes.settling.settle import settle_inbox  # noqa: PLC0415 - after the settings

    while settle_inbox():
        pass


def take_up_what_was_lost() -> None:
    from outcomes.models import Batch, RejudgingPart  # noqa: PLC0415 - after the settings
    from tests.outcomes.waiting_jobs import waiting_parts  # noqa: PLC0415 - after the settings

    long_ago = datetime(2026, 1, 1, tzinfo=UTC)
    RejudgingPart.objects.filter(status="running").update(heard_at=long_ago, tries=1)
    waiting_parts()
    # A batch whose worker died is retried alone after a pause, because it might be the cause. Here
    # the drill killed the worker, so every batch may be retried immediately.
    Batch.objects.filter(next_try_at__isnull=False).update(next_try_at=long_ago, tries=0)


def kill_at(step: int) -> None:
    """Kill this process at a given step. Steps are just before and after each writing function."""
    from outcomes.database import bulk  # noqa: PLC0415 - after the settings
    from outcomes.jobs import commands as jobs  # noqa: PLC0415
    from outcomes.reclassification.commands import parts as rejudging_parts  # noqa: PLC0415
    from outcomes.reclassification.commands import verdicts as reclassifying  # noqa: PLC0415
    from outcomes.settling import settle  # noqa: PLC0415
    from outcomes.settling import write as writing  # noqa: PLC0415

    left = step

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def instead(*args: Any, **kwargs: Any) -> Any:
            pass_on()
            answer = function(*args, **kwargs)
            pass_on()
            return answer

        return instead

    def pass_on() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    for module, names in (
        (bulk, ("update", "add", "insert_new")),
        (jobs, ("note", "end", "claimed", "put_back")),
        (reclassifying, ("reclassify", "count", "read_sessions", "_keep_past")),
        (rejudging_parts, ("begin", "outputs_of", "end_if_all_did")),
        (writing, ("read_sessions", "note_agents")),
        (settle, ("read", "write")),
    ):
        for name in names:
            setattr(module, name, counted(getattr(module, name)))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
