"""`python -m tests.stored`: prints what the configured database contains, and what is wrong."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import django

ROOT = Path(__file__).resolve().parent.parent


def stored_by(data: Path, variables: Mapping[str, str]) -> dict[str, Any]:
    """Contents of a database, read in a separate process because this one has other settings."""
    env = os.environ | variables | {"EDICTUM_SITE_DATA": str(data)}
    env["DJANGO_SETTINGS_MODULE"] = "edictum_site.settings"
    request = subprocess.run(
        [sys.executable, "-m", "tests.stored"],
        env=env, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    body: dict[str, Any] = json.loads(request.stdout)
    return body


def main() -> None:
    django.setup()
    # Models can be imported from here on.
    from outcomes.models import Batch, Call, Event, RejectedItem, Session  # noqa: PLC0415 - see above
    from tests.recount import differences  # noqa: PLC0415 - see above
    from tests.reindex import index_differences  # noqa: PLC0415 - see above

    counted = {
        "waiting": Batch.objects.count(),
        "rejected": RejectedItem.objects.count(),
        "events": Event.objects.count(),
        "calls": Call.objects.count(),
        "sessions": Session.objects.count(),
        "differences": [*differences(), *index_differences()],
    }
    sys.stdout.write(json.dumps(counted))


if __name__ == "__main__":
    main()
