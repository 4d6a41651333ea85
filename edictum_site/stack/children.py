"""Child processes of the supervisor, each with a command, a log and its own process group."""

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
MOST_JOBS = 2  # at a time; more would take CPU from pages and settling
LARGEST_LOG = 10 * 1024 * 1024
SHORTEST_PAUSE, LONGEST_PAUSE = 0.2, 10.0  # seconds between an exit and the restart
LONG_ENOUGH = 10.0  # seconds of uptime after which the pause is reset

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
    # A sender trusted to name the client's address can name any number of them, and so bypass
    # sign-in throttling.
    if proxies:
        return ("--proxy-headers", "--forwarded-allow-ips", proxies)
    return ("--no-proxy-headers",)


def settling_command() -> list[str]:
    """Command of the settling worker: one thread settles, the other runs scheduled tasks."""
    return [*_worker("settle"), "--pool", "threads", "--concurrency", "2"]


def most_jobs() -> int:
    """Number of jobs that this machine runs at a time."""
    return min(os.cpu_count() or 1, MOST_JOBS)


def jobs_command(queues: str = "interactive,bulk", at_most: int | None = None) -> list[str]:
    """Command of the job worker: one process per running job, none while idle."""
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
        self.once = once  # a one-time task, whose output is printed
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
        """Exit code, returned once, or None. Also kills any processes left in its group."""
        if self._process is None:
            return None
        pid = self._process.pid
        # Checked without reaping: until it is reaped, its pid can't be reused.
        if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return None
        self.signal(signal.SIGKILL)
        code = self._process.wait()
        self._process = None
        return code

    def end_if_it_hangs(self) -> bool:
        """Kill the child if its heartbeat has stopped; True if so. `ended` reports its exit."""
        if self._process is None or self._heartbeat is None or not self._heartbeat.has_stopped():
            return False
        self._heartbeat.begin()
        self.signal(signal.SIGKILL)
        return True

    def signal(self, number: signal.Signals) -> None:
        if self._process:
            with suppress(ProcessLookupError, PermissionError):  # the group has ended
                os.killpg(self._process.pid, number)

    def plan_restart(self) -> None:
        now = time.monotonic()
        if now - self._started_at >= LONG_ENOUGH:
            self._pause = SHORTEST_PAUSE
        self.restart_at = now + self._pause
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    def last_words(self) -> str:
        """Last line of its log, without a leading exception name."""
        lines = self.log.read_text(errors="replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        name, colon, rest = last.partition(": ")
        return rest if colon and name.endswith(("Error", "Invalid", "Exception")) else last


def tie_to(supervisor: int) -> Callable[[], None]:
    """Function to call between fork and exec: the child dies with the supervisor, whatever ends it.

    SIGKILL, because no process is left to kill a slow child, the next start needs the port at once,
    and all writes are transactions.
    """

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != supervisor:  # the supervisor died between fork and prctl
            os._exit(1)

    return tie


def keep_small(log: Path) -> None:
    """Rotate a large log: copy its last part and truncate it. The writer appends, so it continues
    at the start; lines written in between are lost. On a full disk it is retried later."""
    with suppress(OSError):
        size = log.stat().st_size
        if size <= LARGEST_LOG:
            return
        with log.open("rb+") as full:
            full.seek(max(0, size - LARGEST_LOG))
            log.with_suffix(".log.1").write_bytes(full.read(LARGEST_LOG))
            full.truncate(0)
