"""The processes that the supervisor starts, each with its command, its log and its own group."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from edictum_site.env import env_logs, env_proxies, host_name
from edictum_site.program.place import BASE
from edictum_site.stack.heartbeat import Heartbeat

PROTOCOL = "edictum_site.front.protocol:Protocol"
PR_SET_PDEATHSIG = 1
MOST_JOBS = 2  # at a time; more take their processors from pages and settling
LARGEST_LOG = 10 * 1024 * 1024
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 10.0  # seconds between an end and the next start
LONG_ENOUGH = 10.0  # seconds of life after which an end counts as the first

libc = ctypes.CDLL(None)  # loaded before any fork


def web_command(application: str, listener: int) -> list[str]:
    return [
        *(sys.executable, "-m", "uvicorn", application, "--fd", str(listener), "--workers", "1"),
        *("--loop", "uvloop", "--http", PROTOCOL, "--ws", "none", "--lifespan", "on"),
        *("--timeout-keep-alive", "75", "--timeout-graceful-shutdown", "8", "--backlog", "4096"),
        *("--no-access-log", "--no-server-header", "--log-level", "warning"),
        *_believed(env_proxies("EDICTUM_SITE_PROXIES")),
    ]


def _believed(proxies: str) -> tuple[str, ...]:
    # Whoever may name the client's address may also have as many as sign-in throttling asks for.
    if proxies:
        return ("--proxy-headers", "--forwarded-allow-ips", proxies)
    return ("--no-proxy-headers",)


def settling_command() -> list[str]:
    """One thread settles, the other does what is due by the clock."""
    return [*_worker("settle"), "--pool", "threads", "--concurrency", "2"]


def most_jobs() -> int:
    """Jobs at a time on this machine."""
    return min(os.cpu_count() or 1, MOST_JOBS)


def jobs_command(queues: str = "interactive,bulk", at_most: int | None = None) -> list[str]:
    """A process for each job that runs, and none while none does."""
    return [*_worker(queues), "--pool", "prefork", "--autoscale", f"{at_most or most_jobs()},0"]


def scheduler_command() -> list[str]:
    return [
        *(sys.executable, "-m", "celery", "-A", "edictum_site", "beat"),
        *("--scheduler", "edictum_site.scheduling:LeasedScheduler", "--pidfile="),
    ]


def _worker(queues: str) -> tuple[str, ...]:
    return (
        *(sys.executable, "-m", "celery", "-A", "edictum_site", "worker", "--queues", queues),
        *("--hostname", f"{queues.partition(',')[0]}@{host_name()}"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    )


class Child:
    def __init__(
        self,
        name: str,
        command: list[str],
        *,
        env: Mapping[str, str],
        logs: Path,
        once: bool = False,
        inherits: tuple[int, ...] = (),
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self.name = name
        self.log = logs / f"{name}.log"
        self.once = once  # it has one thing to do, and to say
        self.restart_at: float | None = None
        self._command = command
        self._env = env
        self._inherits = inherits
        self._heartbeat = heartbeat
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._pause = SHORTEST_PAUSE

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def start(self) -> None:
        # From the main thread only: the death signal belongs to the thread that forks.
        self.restart_at = None
        self._started_at = time.monotonic()
        keep_small(self.log)
        is_collected = not self.once and env_logs() == "stderr"
        if self._heartbeat is not None:
            self._heartbeat.begin()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                env=self._env,
                cwd=BASE,
                stdin=subprocess.DEVNULL,
                stdout=None if self.once or is_collected else log,
                stderr=None if is_collected else log,
                pass_fds=self._inherits,
                process_group=0,
                preexec_fn=tie_to(os.getpid()) if sys.platform == "linux" else None,
            )

    def ended(self) -> int | None:
        """How it ended, once, with everything that it left behind ended too."""
        if self._process is None:
            return None
        pid = self._process.pid
        # Looked at before it is reaped: until then nobody else can be given its number.
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return None
        self.signal(signal.SIGKILL)
        code = self._process.wait()
        self._process = None
        return code

    def end_if_it_hangs(self) -> bool:
        """Whether it had to be; how it ended is told as of any end."""
        if self._process is None or self._heartbeat is None or not self._heartbeat.has_stopped():
            return False
        self._heartbeat.begin()
        self.signal(signal.SIGKILL)
        return True

    def signal(self, number: signal.Signals) -> None:
        if self._process:
            with suppress(ProcessLookupError, PermissionError):  # of a group that has ended
                os.killpg(self._process.pid, number)

    def plan_restart(self) -> None:
        now = time.monotonic()
        if now - self._started_at >= LONG_ENOUGH:
            self._pause = SHORTEST_PAUSE
        self.restart_at = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def last_words(self) -> str:
        """The last line of its log, without the name of an exception before it."""
        lines = self.log.read_text(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        name, colon, rest = last.partition(": ")
        return rest if colon and name.endswith(("Error", "Invalid", "Exception")) else last


def tie_to(supervisor: int) -> Callable[[], None]:
    """To be called between fork and exec: the child dies when the supervisor does, however.

    By SIGKILL: nobody is left who would kill a child that takes its time, the next start needs
    the port at once, and whatever this limit says is written in transactions.
    """

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != supervisor:  # it died between fork and prctl
            os._exit(1)

    return tie


def keep_small(log: Path) -> None:
    """Set its last part aside and empty it. Its writer appends, so it goes on at the new end; what
    it writes between the two is lost. On a full disk it is tried again later."""
    with suppress(OSError):
        size = log.stat().st_size
        if size <= LARGEST_LOG:
            return
        with log.open("rb+") as full:
            full.seek(max(0, size - LARGEST_LOG))
            log.with_suffix(".log.1").write_bytes(full.read(LARGEST_LOG))
            full.truncate(0)
