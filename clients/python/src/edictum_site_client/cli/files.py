"""Contract and check files. The tests of `billing.yaml` are in `billing.tests.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from edictum_site_client.cli.api import Stop

ENDINGS = (".yaml", ".yml")
LARGEST = 16_000_000


def yaml_files(paths: list[Path]) -> list[Path]:
    """The given files, with each folder replaced by its YAML files in name order."""
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(each for each in path.iterdir() if each.suffix in ENDINGS)
            if not inside:
                raise Stop(f"{path} has no .yaml files.")
            files += inside
        else:
            files.append(path)
    return list(dict.fromkeys(files))


def text_in(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise Stop(f"{path} is larger than {LARGEST:,} bytes.")
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise Stop(f"{path} is not UTF-8, from byte {error.start:,} on.") from error
    except OSError as error:
        raise Stop(f"{path} cannot be read: {error.strerror}.") from error


def tests_in(path: Path) -> list[Any] | None:
    """Tests from the file next to a contract in the API's format; None without such a file."""
    place = path.with_suffix(".tests.json")
    if not place.exists():
        return None
    try:
        value = json.loads(text_in(place))
    except ValueError as error:
        raise Stop(f"{place} is not JSON: {error}.") from error
    if not isinstance(value, dict) or not isinstance(value.get("cases"), list):
        raise Stop(f'{place} does not have the form {{"cases": […]}}.')
    cases: list[Any] = value["cases"]
    return cases
