"""`make demo`: create a demo project in the console on this data folder, started if necessary."""

import os
import signal
import subprocess
import sys
import time
from typing import Any, Final

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from edictum_site.demo_projects import begin_demo
from edictum_site.program.place import manage_command
from edictum_site.stack.children import tie_to
from edictum_site.stack.note import running
from governance.core.actor import CONSOLE
from governance.core.errors import Conflict
from governance.models import Project
from governance.people.queries.projects import demo_of, projects
from outcomes.demo.queries.demo import demo_run, is_lost
from outcomes.models import DemoRun

TO_START: Final = 60.0  # seconds
POLL_SECONDS: Final = 0.5


class Command(BaseCommand):
    help = "Create a demo project with 2 weeks of simulated agents and keep the console running."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        url = serving()
        started = None if url else console()
        try:
            url = url or self._served(started)
            self._fill(url)
        except KeyboardInterrupt:
            pass  # the console got the signal too
        finally:
            if started is not None:
                wait_for(started)

    def _served(self, started: subprocess.Popen[bytes] | None) -> str:
        ends = time.monotonic() + TO_START
        while not (url := serving()):
            ended = started is None or started.poll() is not None
            if ended or time.monotonic() > ends:
                raise CommandError("The console did not start.")
            time.sleep(0.1)
        return url

    def _fill(self, url: str) -> None:
        first = projects()[0]
        try:
            project = begin_demo(first, by=CONSOLE)
        except Conflict:
            known = demo_of(first)
            self.stdout.write(f"The demo already exists: {url}{known and page_of(known)}")
            return
        self.stdout.write("Generating 2 weeks of traffic …")
        run = self._follow(project)
        if run is None or run.status != DemoRun.Status.DONE:
            raise CommandError(f"Demo generation failed. {run.error if run else ''}".strip())
        self.stdout.write(f"Demo ready, {run.calls:,} calls: {url}{page_of(project)}")

    def _follow(self, project: Project) -> DemoRun | None:
        """Print progress until the worker is done."""
        printed = -1
        while (run := demo_run(project.pk)) is not None and not run.has_ended:
            if is_lost(run):
                break
            if run.calls // 2_000 != printed:
                printed = run.calls // 2_000
                self.stdout.write(
                    f"  {run.passed:,} of {run.total:,} sessions, {run.calls:,} calls"
                    if run.total
                    else "  waiting for the worker"
                )
                self.stdout.flush()
            time.sleep(POLL_SECONDS)
        return run


def console() -> "subprocess.Popen[bytes]":
    """Start a console that ends with this command, however the command ends."""
    started = subprocess.Popen(
        manage_command("up"),
        preexec_fn=tie_to(os.getpid()) if sys.platform == "linux" else None,
    )

    def stop(*_: object) -> None:
        started.terminate()
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    return started


def wait_for(started: subprocess.Popen[bytes]) -> None:
    """Wait until the console is stopped, by Ctrl-C here or from elsewhere."""
    try:
        started.wait()
    except KeyboardInterrupt:
        started.wait()


def serving() -> str:
    """URL of the console that runs on this data folder; empty if none does."""
    note = running(settings.DATA)
    return str(note["url"]) if note.get("serving") else ""


def page_of(project: Project) -> str:
    return reverse("first_hour:demo", args=[project.slug])
