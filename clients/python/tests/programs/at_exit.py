"""Records one call early and one at exit, and exits without closing its client."""

import atexit
import sys

from edictum_site_client import Console

console = Console(sys.argv[1], api_key="key", flush_interval=60)


@console.tool
def echo(number: int) -> int:
    return number


echo(1)
atexit.register(echo, 2)
