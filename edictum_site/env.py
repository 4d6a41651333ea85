"""Settings from the environment. An invalid value aborts the start with a one-line error."""

import os
import re
import socket
from collections.abc import Iterable
from ipaddress import ip_network
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from edictum_site.program.place import default_data
from outcomes.core.artifact_store.addresses import AddressInvalid, parsed

LOOPBACK: Final = ("localhost", "127.0.0.1", "[::1]")
LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
# Credentials of object stores, under the names that their library reads.
OF_OBJECT_STORES: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "GOOGLE_SERVICE_ACCOUNT_KEY",
    "AZURE_STORAGE_ACCOUNT_KEY",
    "AZURE_STORAGE_SAS_KEY",
)
LONGEST_NAME: Final = 200  # characters of a host's name
BROKERS: Final = ("redis://", "rediss://", "unix://")


SHORTEST_TOKEN: Final = 20  # characters
_TOKEN: Final = re.compile(rf"(?!edk_)[A-Za-z0-9._~+/=-]{{{SHORTEST_TOKEN},512}}")
_ADDRESS: Final = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?")


class SettingInvalid(Exception):
    """An environment variable has an invalid value."""


def env_str(name: str, default: str = "") -> str:
    return os.environ.get(name, "") or default


def env_int(name: str, default: int) -> int:
    value = env_str(name)
    if not value:
        return default
    try:
        return int(value)
    except ValueError:
        raise SettingInvalid(f"{name} must be a whole number, not {value!r}.") from None


def env_head_seconds() -> int:
    """Seconds that a client may take to send the headers of a request."""
    return _env_seconds("EDICTUM_SITE_HEAD_SECONDS", 20)


def env_worker_silence() -> int:
    """Seconds without a heartbeat after which the worker is restarted."""
    return _env_seconds("EDICTUM_SITE_WORKER_SILENCE", 300)


def _env_seconds(name: str, default: int) -> int:
    seconds = env_int(name, default)
    if seconds < 1:
        raise SettingInvalid(f"{name} must be at least 1, not {seconds}.")
    return seconds


def env_bound(name: str, default: int) -> int:
    """An integer bound; 0 means unbounded."""
    value = env_int(name, default)
    if value < 0:
        raise SettingInvalid(f"{name} must be 0 or more, not {value}.")
    return value


def env_bool(name: str) -> bool:
    value = env_str(name).lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"", "0", "false", "no", "off"}:
        return False
    raise SettingInvalid(f"{name} must be 1 or 0, not {value!r}.")


def env_level(name: str) -> str:
    level = env_str(name, "INFO").upper()
    if level not in LEVELS:
        raise SettingInvalid(f"{name} must be one of {', '.join(LEVELS)}, not {level!r}.")
    return level


def env_logs() -> str:
    """Target of process logs: `files` in the data folder, or the supervisor's `stderr`."""
    where = env_str("EDICTUM_SITE_LOGS", "files")
    if where not in ("files", "stderr"):
        raise SettingInvalid(f"EDICTUM_SITE_LOGS must be files or stderr, not {where!r}.")
    return where


def env_list(text: str) -> list[str]:
    """Comma-separated values."""
    return [each for value in text.split(",") if (each := value.strip())]


def env_networks(name: str) -> list[str]:
    """Networks in CIDR notation."""
    networks = env_list(env_str(name))
    for network in networks:
        try:
            ip_network(network)
        except ValueError:
            message = f"{name} must list networks such as 10.0.0.0/8, not {network!r}."
            raise SettingInvalid(message) from None
    return networks


def env_origins(name: str) -> list[str]:
    """Origins of forms, with their scheme as browsers send them; others would never match."""
    origins = env_list(env_str(name))
    for origin in origins:
        if not origin.startswith(("https://", "http://")):
            raise SettingInvalid(f"{name} must begin with https:// or http://, not {origin!r}.")
    return origins


def env_url(name: str) -> str:
    """Scheme and host without a trailing slash; empty if not set."""
    url = env_str(name).rstrip("/")
    if url and not _ADDRESS.fullmatch(url):
        raise SettingInvalid(
            f"{name} must be a scheme and a host, such as https://console.example, not {url!r}."
        )
    return url


def env_hosts(name: str, url: str) -> list[str]:
    """Allowed hosts: loopback names, the listening address, the URL's host, and those listed."""
    listening = env_str("HOST", "127.0.0.1")
    own = [] if listening in {"0.0.0.0", "::"} else [listening]  # noqa: S104 - compared only
    own = [f"[{host}]" if ":" in host else host for host in own]
    host = urlsplit(url).hostname or ""
    named = [each.strip() for each in env_str(name).split(",")]
    every = [*LOOPBACK, *own, f"[{host}]" if ":" in host else host, *named]
    return list(dict.fromkeys(each for each in every if each))


def env_proxies(name: str) -> str:
    """Addresses and networks of trusted proxies, or `*`. Other values are refused, as the server
    would silently trust no proxy."""
    proxies = [proxy for each in env_str(name).split(",") if (proxy := each.strip())]
    for proxy in proxies if proxies != ["*"] else []:
        try:
            ip_network(proxy)
        except ValueError:
            raise SettingInvalid(
                f"{name} must name addresses or networks, such as 10.0.0.7 or 10.0.0.0/8,"
                f" separated by commas, not {proxy!r}."
            ) from None
    return ",".join(proxies)


def broker_url() -> str:
    """Redis URL; empty for the embedded Redis. Only its format is checked, as the product waits for
    an unreachable Redis."""
    url = env_secret("REDIS_URL")
    if url and not url.startswith(BROKERS):
        raise SettingInvalid(f"REDIS_URL must begin with one of {', '.join(BROKERS)}.")
    try:
        _ = urlsplit(url).port
    except ValueError:
        raise SettingInvalid("REDIS_URL has a port that is not a number.") from None
    return url


def env_artifacts() -> str:
    """URL of the artifact store; empty for the data folder."""
    return _env_store("EDICTUM_SITE_ARTIFACTS", env_str("EDICTUM_SITE_ARTIFACTS"))


def env_archive() -> str:
    """Folder or URL of the archive; empty if calls are removed without a copy."""
    place = env_str("EDICTUM_SITE_ARCHIVE")
    return _env_store("EDICTUM_SITE_ARCHIVE", place) if "://" in place else place


def _env_store(name: str, address: str) -> str:
    try:
        if address:
            parsed(address)
    except AddressInvalid as invalid:
        raise SettingInvalid(f"{name} {invalid}.") from None
    return address


def env_secret_files(names: Iterable[str]) -> dict[str, str]:
    """Values of the secrets that are given as files."""
    return {name: env_secret(name) for name in names if env_str(f"{name}_FILE")}


def env_secret(name: str) -> str:
    """Value of NAME, or the content of the file named by NAME_FILE."""
    file = env_str(f"{name}_FILE")
    if not file:
        return env_str(name)
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SettingInvalid(f"{name}_FILE cannot be read: {error.strerror}.") from None


def env_token(name: str) -> str:
    """A secret that clients send as a bearer token; empty if not set."""
    token = env_secret(name)
    if token and not _TOKEN.fullmatch(token):
        raise SettingInvalid(
            f"{name} must have {SHORTEST_TOKEN} or more letters, digits, or any of ._~+/=-"
            " and must not begin with edk_. Create one with `openssl rand -hex 32`."
        )
    return token


def host_name() -> str:
    """Name of this host in a multi-host install."""
    return env_str("EDICTUM_SITE_HOST_NAME", socket.gethostname())[:LONGEST_NAME]


def data_folder() -> Path:
    """Data folder of the embedded install."""
    return Path(env_str("EDICTUM_SITE_DATA", str(default_data()))).resolve()
