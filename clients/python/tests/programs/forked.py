"""Parent and child of a fork record one call each; only the parent sends what was queued before."""

import os
import sys

from edictum_site_client import Console

console = Console(sys.argv[1], api_key="key", flush_interval=60)


@console.tool
def echo(number: int) -> int:
    return number


echo(1)
child = os.fork()
if child == 0:
    echo(2)
else:
    _, status = os.waitpid(child, 0)
    sys.exit(os.waitstatus_to_exitcode(status))
