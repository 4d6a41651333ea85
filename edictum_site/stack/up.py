"""`up`: start and stop everything on one machine with one command."""

import socket
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from edictum_site.program.place import PROGRAM_NAME, manage_command
from edictum_site.stack import redis
from edictum_site.stack.children import (
    Child,
    jobs_command,
    settling_command,
    web_command,
)
from edictum_site.stack.environment import environment, without_first_secrets
from edictum_site.stack.heartbeat import Heartbeat
from edictum_site.stack.options import Options, StartRefused, locked_data_folder
from edictum_site.stack.port import FirstPage, allow_many_files, listen, url_of
from edictum_site.stack.private import keep_new_files_private
from edictum_site.stack.signals import Signals
from edictum_site.stack.supervisor import StopRequested, Supervisor
from edictum_site.stack.terminal import complain, say

APPLICATION = "edictum_site.server:application"
USAGE = f"{PROGRAM_NAME} up takes no arguments: set PORT, HOST and EDICTUM_SITE_DATA instead."
WITH_SCHEDULER = {"EDICTUM_SITE_SCHEDULER": "1"}  # the settling worker runs it as a thread


def up(arguments: Sequence[str]) -> int:
    if arguments:
        complain(USAGE)
        return 2
    signals = Signals()
    keep_new_files_private()
    try:
        options = Options.from_environment()
        with (
            locked_data_folder(options.data),
            listen(options.host, options.port) as listener,
            redis.folder_of(options.data) as redis_folder,
        ):
            allow_many_files()
            run(options, listener, redis_folder, signals)
    except StartRefused as refused:
        complain(str(refused))
        return 1
    return 0


def run(options: Options, listener: socket.socket, redis_folder: Path, signals: Signals) -> None:
    supervisor = Supervisor(signals, url_of(listener), options.data / "up.json")
    try:
        start_all(supervisor, options, listener, redis_folder)
        say(f"Edictum Site is at {url_of(listener)}/ (Ctrl-C to stop)")
        supervisor.keep_running()
    except StopRequested:
        say("Stopping")
    finally:
        # First, so that new connections are refused instead of waiting.
        listener.close()
        supervisor.stop()


def start_all(
    supervisor: Supervisor, options: Options, listener: socket.socket, redis_folder: Path
) -> None:
    redis_url = options.redis_url or redis.url_in(redis_folder)
    port = listener.getsockname()[1]
    env = environment(options, port=port, redis_url=redis_url)
    child = partial(Child, logs=options.data / "log", env=without_first_secrets(env))

    if not options.redis_url:
        supervisor.start(child("redis", redis.command(redis.program(), redis_folder)))
    supervisor.run_to_its_end(child("prepare", manage_command("prepare"), env=env, once=True))
    web = child("web", web_command(APPLICATION, listener.fileno()), inherits=(listener.fileno(),))
    supervisor.start(web)
    heartbeat = Heartbeat(options.data / "worker.heartbeat", options.worker_silence)
    with_scheduler = without_first_secrets(env) | WITH_SCHEDULER
    supervisor.start(child("worker", settling_command(), env=with_scheduler, heartbeat=heartbeat))
    supervisor.start(child("jobs", jobs_command()))
    supervisor.wait_for_first_page(FirstPage(listener), web)
