"""Settings from the environment; a value that does not fit ends the start with one sentence."""

import os
from pathlib import Path


class SettingInvalid(Exception):
    """A variable of the environment has a value that cannot be used."""


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


def env_bool(name: str) -> bool:
    value = env_str(name).lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"", "0", "false", "no", "off"}:
        return False
    raise SettingInvalid(f"{name} must be 1 or 0, not {value!r}.")


def env_secret(name: str) -> str:
    """NAME itself, or the content of the file that NAME_FILE names."""
    file = env_str(f"{name}_FILE")
    if not file:
        return env_str(name)
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SettingInvalid(f"{name}_FILE cannot be read: {error.strerror}.") from None


def data_folder() -> Path:
    """Where the embedded install keeps its data: `var/` beside manage.py unless told otherwise."""
    default = Path(__file__).resolve().parent.parent / "var"
    return Path(env_str("EDICTUM_SITE_DATA", str(default))).resolve()
