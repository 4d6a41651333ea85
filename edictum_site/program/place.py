"""Folders of code and files, in a checkout or installed from a wheel."""

import os
import sys
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parent.parent
INSTALLED: Final = PACKAGE / "_files"  # files in a wheel other than code
IS_INSTALLED: Final = INSTALLED.is_dir()
BASE: Final = INSTALLED if IS_INSTALLED else PACKAGE.parent
PROGRAM_NAME: Final = "edictum-site" if IS_INSTALLED else "python manage.py"  # as users type it


def program(root: Path = BASE) -> list[str]:
    """Command that starts the product's command line; `root` is the checkout to run."""
    if root == INSTALLED:
        # -P: modules in the current folder must not shadow ours.
        return [sys.executable, "-P", "-m", "edictum_site"]
    return [sys.executable, str(root / "manage.py")]


def manage_command(name: str, root: Path = BASE) -> list[str]:
    return [*program(root), name]


def default_data() -> Path:
    """Default data folder: `var/` in a checkout, else the user's data folder (XDG)."""
    if not IS_INSTALLED:
        return BASE / "var"
    shared = os.environ.get("XDG_DATA_HOME", "")
    return (Path(shared) if shared else Path.home() / ".local" / "share") / "edictum-site"
