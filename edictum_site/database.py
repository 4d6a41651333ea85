"""Database settings: PostgreSQL if a URL is set, else the embedded SQLite."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from edictum_site.env import SettingInvalid

REPLICA = "replica"  # the same name as in outcomes/database/reading.py
# A host that loses power doesn't close its connections. With these timeouts, both ends notice
# within 30 seconds: the client can reconnect, and the server releases the lost host's row locks.
LOST_SERVER = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
LOST_CLIENT = {
    "options": "-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3"
    " -c tcp_user_timeout=25000"
}
# Short timeouts, as pages can fall back to the primary database.
SOON_GIVEN_UP = {"connect_timeout": 2, "tcp_user_timeout": 5_000}
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
    " PRAGMA wal_autocheckpoint=30000; PRAGMA cache_size=-65536;"
)


def databases(url: str, replica: str, data: Path) -> dict[str, dict[str, Any]]:
    """Django's databases: the primary and, if configured, a replica for pages."""
    if not replica:
        return {"default": database(url, data)}
    if not url:
        raise SettingInvalid("DATABASE_REPLICA_URL needs DATABASE_URL.")
    reads = _postgres(replica, "DATABASE_REPLICA_URL", SOON_GIVEN_UP)
    return {"default": database(url, data), REPLICA: reads | {"TEST": {"MIRROR": "default"}}}


def database(url: str, data: Path) -> dict[str, Any]:
    return _postgres(url) if url else _sqlite(data)


def _sqlite(data: Path) -> dict[str, Any]:
    return {
        "ENGINE": "edictum_site.sqlite",
        "NAME": data / "edictum-site.sqlite3",
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",  # wait for the write lock at BEGIN, not halfway
            "timeout": 20,  # waiters are not served in order: under full load, one took 4 s
            "init_command": SQLITE_PRAGMAS,
        },
        "TEST": {"NAME": data / "test.sqlite3"},  # in-memory tests would have no WAL or processes
    }


def _postgres(
    url: str, name: str = "DATABASE_URL", waits: Mapping[str, int] = MappingProxyType({})
) -> dict[str, Any]:
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"}:
        raise SettingInvalid(f"{name} must begin with postgresql://.")
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    is_pooled = _is_pooled(options.pop("pool_mode", "session"), name)
    try:
        port = parts.port
    except ValueError:
        raise SettingInvalid(f"{name} has a port that is not a number.") from None
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        # As in libpq, a socket's folder is given in the query string.
        "HOST": options.pop("host", "") or unquote(parts.hostname or ""),
        "PORT": options.pop("port", "") or (str(port) if port else ""),
        "CONN_MAX_AGE": None,
        "CONN_HEALTH_CHECKS": True,
        # A pooler assigns a server per transaction, so cursors and plans don't survive it.
        "DISABLE_SERVER_SIDE_CURSORS": is_pooled,
        # Prepared statements: planning would be a tenth of a governed call's cost.
        "OPTIONS": {
            "connect_timeout": 5,
            "prepare_threshold": None if is_pooled else 5,
            **LOST_SERVER,
            **waits,
            **({} if is_pooled else LOST_CLIENT),
            **options,
        },
    }


def _is_pooled(mode: str, name: str) -> bool:
    if mode not in ("session", "transaction"):
        raise SettingInvalid(f"pool_mode in {name} must be session or transaction.")
    return mode == "transaction"
