"""Create, fill and remove demo projects. A separate process with a URL and a key fills them."""

import json
import logging
import os
import subprocess
import sys
from typing import IO, Final

from django.conf import settings
from django.db import transaction

from edictum_site.env import env_int
from edictum_site.first_start import local_address
from edictum_site.stack.children import tie_to
from governance.core.actor import Actor
from governance.models import Project
from governance.projects.commands import (
    make_demo_key,
    make_demo_project,
    remove_demo_project,
    revoke_demo_keys,
)
from outcomes.demo.commands import (
    ask_for_demo,
    cancel_demo,
    claimed_demo,
    end_demo,
    note_demo,
    remove_traffic,
)
from outcomes.models import DemoRun
from outcomes.suggestions.commands.scans import request_scan

SEED: Final = 20_261
ENDED_EARLY: Final = "The demo process exited early. See the worker's log."

logger = logging.getLogger(__name__)


def begin_demo(origin: Project, *, by: Actor) -> Project:
    """Create a demo project, and queue the job in which simulated agents fill it."""
    with transaction.atomic():
        project = make_demo_project(origin, by=by)
        ask_for_demo(project.pk)
    return project


def run_demo(number: int) -> None:
    """Run a queued job: simulated agents fill the demo project."""
    run = claimed_demo(number)
    if run is None:
        return
    share = env_int("EDICTUM_SITE_DEMO_PERCENT", 100) / 100
    if error := fill_demo(run, url=local_address(), share=share):
        logger.error("The demo could not be generated: %s", error)


def fill_demo(run: DemoRun, *, url: str, share: float) -> str:
    """Fill a demo; returns the error, if any. Call it in the main thread, as the child process dies
    with the thread that started it."""
    project = run.project
    orders = {"url": url, "key": make_demo_key(project), "seed": SEED, "share": share}
    child = subprocess.Popen(
        [sys.executable, "-m", "edictum_site.demo"],
        env={},
        cwd=settings.BASE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=tie_to(os.getpid()) if sys.platform == "linux" else None,
    )
    error = ENDED_EARLY
    try:
        assert child.stdin is not None  # noqa: S101 - both are pipes
        assert child.stdout is not None  # noqa: S101
        child.stdin.write(json.dumps(orders) + "\n")
        child.stdin.close()
        error = _follow(run, child.stdout)
    finally:
        child.kill()
        code = child.wait()
        revoke_demo_keys(project)
        if not error and code not in (0, -9):
            error = ENDED_EARLY
        still_exists = end_demo(run, error=error)
    if not still_exists:
        return ""  # removed meanwhile, so errors of its agents don't matter
    request_scan(project.pk)  # find silent failures at once
    return error


def _follow(run: DemoRun, lines: IO[str]) -> str:
    """Record the child's progress until it is done or the demo is removed; returns the error, if
    any."""
    for line in lines:
        message = json.loads(line)
        if "error" in message:
            return str(message["error"])
        run.passed, run.total, run.calls = message["passed"], message["total"], message["calls"]
        figures = {"passed": run.passed, "total": run.total, "calls": run.calls}
        if not note_demo(run, **figures):
            return ""  # removed or cancelled
        if run.passed == run.total:
            return ""
    return ENDED_EARLY


def remove_demo(project: Project, *, logged_in: Project, by: Actor) -> None:
    """Remove a demo project with all of its traffic. Other projects are not affected."""
    cancel_demo(project.pk)
    revoke_demo_keys(project)
    went = remove_traffic(project.pk)
    remove_demo_project(project, logged_in=logged_in, by=by, went=dict(went))
