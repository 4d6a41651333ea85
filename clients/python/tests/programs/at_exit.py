"""Records and ends, without a word to its client: one call early, one as the last thing."""

import atexit
import sys

from edictum_site_client import Console

console = Console(sys.argv[1], api_key="key", flush_interval=60)


@console.tool
def echo(number: int) -> int:
    return number


echo(1)
atexit.register(echo, 2)
