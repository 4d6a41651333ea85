"""Folders of code and files: those of a checkout, or what a wheel installed."""

import os
import sys
from pathlib import Path
from typing import Final

PACKAGE: Final = Path(__file__).resolve().parent.parent
INSTALLED: Final = PACKAGE / "_files"  # what a wheel carries beside its code
IS_INSTALLED: Final = INSTALLED.is_dir()
BASE: Final = INSTALLED if IS_INSTALLED else PACKAGE.parent
PROGRAM_NAME: Final = "edictum-site" if IS_INSTALLED else "python manage.py"  # as people type it


def program(root: Path = BASE) -> list[str]:
    """How to start the product's command line; `root` is the checkout whose code runs."""
    if root == INSTALLED:
        # -P: no module of the folder in which it is started is imported instead of ours.
        return [sys.executable, "-P", "-m", "edictum_site"]
    return [sys.executable, str(root / "manage.py")]


def manage_command(name: str, root: Path = BASE) -> list[str]:
    return [*program(root), name]


def default_data() -> Path:
    """`var/` of a checkout; installed, a folder where programs keep the data of a user."""
    if not IS_INSTALLED:
        return BASE / "var"
    shared = os.environ.get("XDG_DATA_HOME", "")
    return (Path(shared) if shared else Path.home() / ".local" / "share") / "edictum-site"
