"""Demo projects: made, filled by a process that knows only an address and a key, and removed."""

import json
import os
import subprocess
import sys
import threading
from typing import IO, Final

from django.conf import settings
from django.db import transaction

from edictum_site.stack.children import tie_to
from governance.core.actor import Actor
from governance.models import Project
from governance.projects.commands.demo import (
    make_demo_key,
    make_demo_project,
    remove_demo_project,
    revoke_demo_keys,
)
from outcomes.demo.commands import ask_for_demo, cancel_demo, end_demo, note_demo, remove_traffic
from outcomes.jobs.processes import command_beside
from outcomes.models import DemoRun
from outcomes.suggestions.commands.scans import ask_for_look

SEED: Final = 20_261
ENDED_EARLY: Final = "The process of the simulated agents ended early: see the worker's log."

_lock = threading.Lock()
_running: list[subprocess.Popen[bytes]] = []


def begin_demo(beside: Project, *, by: Actor) -> Project:
    """The project, which some process is to fill."""
    with transaction.atomic():
        project = make_demo_project(beside, by=by)
        ask_for_demo(project.pk)
    return project


def see_to_demos() -> None:
    """A process of its own, gone when it is done: nobody's page waits for it."""
    with _lock:
        _running[:] = [each for each in _running if each.poll() is None]
        if _running:
            return
        command = command_beside("fill_demo")
        _running.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, cwd=settings.BASE))


def fill_demo(run: DemoRun, *, url: str, share: float) -> str:
    """What went wrong, if anything. Call it in the main thread: its child dies with that."""
    project = run.project
    asked = {"url": url, "key": make_demo_key(project), "seed": SEED, "share": share}
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
        child.stdin.write(json.dumps(asked) + "\n")
        child.stdin.close()
        error = _follow(run, child.stdout)
    finally:
        child.kill()
        code = child.wait()
        revoke_demo_keys(project)
        if not error and code not in (0, -9):
            error = ENDED_EARLY
        wanted = end_demo(run, error=error)
    if not wanted:
        return ""  # removed meanwhile: whatever its agents met then is nobody's error
    ask_for_look(project.pk)  # what fails silently is to be found at once
    return error


def _follow(run: DemoRun, lines: IO[str]) -> str:
    """What it says, until it is done or nobody wants it any more."""
    for line in lines:
        said = json.loads(line)
        if "error" in said:
            return str(said["error"])
        run.passed, run.total, run.calls = said["passed"], said["total"], said["calls"]
        figures = {"passed": run.passed, "total": run.total, "calls": run.calls}
        if not note_demo(run, **figures):
            return ""  # removed, or cancelled
        if run.passed == run.total:
            return ""
    return ENDED_EARLY


def remove_demo(project: Project, *, told_in: Project, by: Actor) -> None:
    """The project with all of its traffic. Nothing of any other is touched."""
    cancel_demo(project.pk)
    revoke_demo_keys(project)
    went = remove_traffic(project.pk)
    remove_demo_project(project, told_in=told_in, by=by, went=dict(went))
