"""Environment variables of the supervisor's child processes."""

import os
from collections.abc import Mapping
from typing import Final

from edictum_site.stack.options import Options

# By default, the C library keeps the memory of a 64 MB post, once per thread that handled one.
_GIVING_MEMORY_BACK: Final = {"MALLOC_MMAP_THRESHOLD_": str(1024 * 1024), "MALLOC_ARENA_MAX": "2"}

# For both workers: skip Django's checks, which load every page, as `prepare` has run them; end a
# pool process this many seconds after its last job.
_CELERY: Final = {"CELERY_SKIP_CHECKS": "1", "AUTOSCALE_KEEPALIVE": "10"}


# Used only at the first start, and removed from the children's environment, where they could be
# read later.
_FIRST_SECRETS: Final = ("EDICTUM_SITE_BOOTSTRAP_KEY", "EDICTUM_SITE_ADMIN_PASSWORD")


def without_first_secrets(env: Mapping[str, str]) -> dict[str, str]:
    gone = {name + ending for name in _FIRST_SECRETS for ending in ("", "_FILE")}
    return {name: value for name, value in env.items() if name not in gone}


def environment(options: Options, *, port: int, redis_url: str) -> dict[str, str]:
    env = os.environ | {
        "EDICTUM_SITE_DATA": str(options.data),
        "HOST": options.host,
        "PORT": str(port),
        "REDIS_URL": redis_url,
        "PYTHONUNBUFFERED": "1",
        **_GIVING_MEMORY_BACK,
        **_CELERY,
    }
    # Without stored bytecode, every start compiles all modules again.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    return env
