"""Process that fills a project: reads its options from stdin and writes its progress to stdout."""

import asyncio
import json
import sys
import time
from datetime import UTC, datetime
from typing import Final

from edictum_site.demo.door import DoorRefused
from edictum_site.demo.filling import Filling, Progress

SAYS_SO_EVERY: Final = 0.4  # seconds between progress reports


def main() -> int:
    settings = json.loads(sys.stdin.readline())
    filling = Filling(
        settings["url"],
        settings["key"],
        now=datetime.now(UTC),
        seed=settings["seed"],
        share=settings["share"],
    )
    reported_at = 0.0

    def report(progress: Progress) -> None:
        nonlocal reported_at
        if time.monotonic() - reported_at > SAYS_SO_EVERY or progress.passed == progress.total:
            reported_at = time.monotonic()
            say(passed=progress.passed, total=progress.total, calls=progress.calls)

    try:
        asyncio.run(filling.run(report))
    except (DoorRefused, OSError) as error:
        say(error=str(error)[:400])
        return 1
    return 0


def say(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
