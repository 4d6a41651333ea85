"""The decoder is ready when several threads receive the first events of a process."""

import subprocess
import sys

PROGRAM = """
import importlib, sys, threading
from outcomes.record.wire import sdk

THREADS, STARTS = 4, 400
RAW = b'{"action": "call_executed", "call_id": "c", "tool_name": "t", "run_id": "r"}'
sys.setswitchinterval(1e-6)  # any step of one may be followed by one of another
for _ in range(STARTS):
    fresh = importlib.reload(sdk)
    ready = threading.Barrier(THREADS)

    def read():
        ready.wait()
        fresh._flat(fresh._any.decode(RAW))

    threads = [threading.Thread(target=read) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""


def test_threads_can_read_the_first_events_of_a_process_concurrently():
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=180, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
