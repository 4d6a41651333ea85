"""A forked child keeps using the check that its parent fetched, and refreshes it itself."""

import os
import sys
import time

from edictum_site_client import Console

console = Console(sys.argv[1], api_key="key", refresh_interval=0.05)
check = console.check("unified")
assert check("lookup", None)
child = os.fork()
if child == 0:
    assert not check("lookup", {"status": 500})
    os.write(1, b"child\n")
    deadline = time.monotonic() + 60
    while check.version == 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not check("lookup", None)
    os._exit(0)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status))
