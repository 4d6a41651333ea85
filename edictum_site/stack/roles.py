"""Roles of hosts in a multi-host install: web, worker, scheduler. Each role has its own supervisor.

All hosts share PostgreSQL, Redis, the secret key and the artifact store. `manage.py migrate` must
run once per release before they start.
"""

import argparse
import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Final

from edictum_site.env import env_secret
from edictum_site.program.place import PROGRAM_NAME, manage_command
from edictum_site.stack.children import (
    Child,
    jobs_command,
    most_jobs,
    scheduler_command,
    settling_command,
    web_command,
)
from edictum_site.stack.environment import environment, without_first_secrets
from edictum_site.stack.heartbeat import Heartbeat
from edictum_site.stack.options import Options, StartRefused, locked_for_role
from edictum_site.stack.port import FirstPage, allow_many_files, listen, url_of
from edictum_site.stack.private import keep_new_files_private
from edictum_site.stack.signals import Signals
from edictum_site.stack.supervisor import StopRequested, Supervisor
from edictum_site.stack.terminal import complain, say
from edictum_site.stack.up import APPLICATION

SETTLE: Final = "settle"
QUEUES: Final = (SETTLE, "interactive", "bulk")

Start = Callable[[Supervisor, "Role"], None]


class Role:
    """Options of one supervisor, and the children that it can start."""

    def __init__(self, name: str, options: Options, port: int) -> None:
        self.name = name
        self.options = options
        env = environment(options, port=port, redis_url=options.redis_url)
        self.before_stop: Callable[[], None] = lambda: None
        self._env = env
        self.child = partial(Child, logs=options.data / "log", env=without_first_secrets(env))

    def check(self, supervisor: Supervisor, *processes: str) -> None:
        """Refuse to start if this host's configuration doesn't match the other hosts'."""
        command = [*manage_command("prepare"), "--host", *processes]
        log = f"{self.name}-check"
        supervisor.run_to_its_end(self.child(log, command, env=self._env, once=True))


DESCRIPTIONS: Final = {
    "web": "Serve pages and the API on HOST and PORT.",
    "worker": "Process events and run jobs.",
    "scheduler": "Send periodic tasks. Of several schedulers, one is active.",
}


def run_role(name: str, arguments: Sequence[str]) -> int:
    chosen = parser_of(name).parse_args(arguments)
    match name:
        case "web":
            return _served(_run_web)
        case "worker":
            return _served(lambda options, signals: _run_worker(options, signals, chosen))
        case _:
            return _served(_run_scheduler)


def parser_of(name: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"{PROGRAM_NAME} {name}", description=DESCRIPTIONS[name])
    if name == "worker":
        queues = f"of {', '.join(QUEUES)}; all by default"
        parser.add_argument("--queues", type=_queues, default=QUEUES, help=queues)
        parser.add_argument("--jobs", type=_positive, default=most_jobs(), help="jobs at a time")
    return parser


def _queues(text: str) -> tuple[str, ...]:
    queues = tuple(dict.fromkeys(each.strip() for each in text.split(",")))
    if unknown := [each for each in queues if each not in QUEUES]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is not one of {', '.join(QUEUES)}")
    return queues


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)


def _served(run: Callable[[Options, Signals], None]) -> int:
    signals = Signals()
    keep_new_files_private()
    try:
        options = Options.from_environment()
        _refuse_embedded(options)
        run(options, signals)
    except StartRefused as refused:
        complain(str(refused))
        return 1
    return 0


def _refuse_embedded(options: Options) -> None:
    """Refuse to start with embedded stores, as these are limited to one machine."""
    if not env_secret("DATABASE_URL"):
        raise StartRefused(f"Roles share a PostgreSQL: set DATABASE_URL, or use {PROGRAM_NAME} up.")
    if not options.redis_url:
        raise StartRefused(f"Roles share a Redis: set REDIS_URL, or use {PROGRAM_NAME} up.")


def _run_web(options: Options, signals: Signals) -> None:
    with (
        locked_for_role(options.data, "web"),
        listen(options.host, options.port) as listener,
    ):
        allow_many_files()
        supervisor = Supervisor(signals, url_of(listener), options.data / "web.json")
        role = Role("web", options, listener.getsockname()[1])
        start = partial(_start_web, listener=listener)
        role.before_stop = listener.close  # new connections are refused instead of waiting
        _run(supervisor, role, start)


def _start_web(supervisor: Supervisor, role: Role, *, listener: socket.socket) -> None:
    role.check(supervisor, "web")
    command = web_command(APPLICATION, listener.fileno())
    child = role.child("web", command, inherits=(listener.fileno(),))
    supervisor.start(child)
    supervisor.wait_for_first_page(FirstPage(listener), child)
    say(f"Edictum Site is at {url_of(listener)}/ (Ctrl-C to stop)")


def _run_worker(options: Options, signals: Signals, chosen: argparse.Namespace) -> None:
    settles, jobs = _split(chosen.queues)
    processes = ["worker"] * settles + ["jobs"] * bool(jobs)
    with ExitStack() as locks:
        for process in processes:
            locks.enter_context(locked_for_role(options.data, process))
        supervisor = Supervisor(signals, "", options.data / f"{processes[0]}.json")
        role = Role("worker", options, options.port)
        start = partial(_start_worker, processes=processes, jobs=jobs, at_most=chosen.jobs)
        _run(supervisor, role, start)


def _split(queues: tuple[str, ...]) -> tuple[bool, tuple[str, ...]]:
    """Whether to start a settling process, and the queues of the other process."""
    return SETTLE in queues, tuple(each for each in queues if each != SETTLE)


def _start_worker(
    supervisor: Supervisor,
    role: Role,
    *,
    processes: Sequence[str],
    jobs: tuple[str, ...],
    at_most: int,
) -> None:
    role.check(supervisor, *processes)
    if "worker" in processes:
        file = role.options.data / "worker.heartbeat"
        heartbeat = Heartbeat(file, role.options.worker_silence)
        supervisor.start(role.child("worker", settling_command(), heartbeat=heartbeat))
    if jobs:
        supervisor.start(role.child("jobs", jobs_command(",".join(jobs), at_most)))
    supervisor.is_serving()
    say(f"Worker of {', '.join(([SETTLE] if 'worker' in processes else []) + list(jobs))} started")


def _run_scheduler(options: Options, signals: Signals) -> None:
    with locked_for_role(options.data, "scheduler"):
        supervisor = Supervisor(signals, "", options.data / "scheduler.json")
        _run(supervisor, Role("scheduler", options, options.port), _start_scheduler)


def _start_scheduler(supervisor: Supervisor, role: Role) -> None:
    role.check(supervisor, "scheduler")
    supervisor.start(role.child("scheduler", scheduler_command()))
    supervisor.is_serving()
    say("Scheduler started")


def _run(supervisor: Supervisor, role: Role, start: Start) -> None:
    try:
        start(supervisor, role)
        supervisor.keep_running()
    except StopRequested:
        say("Stopping")
    finally:
        role.before_stop()
        supervisor.stop()
