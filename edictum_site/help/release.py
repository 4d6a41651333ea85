"""Version of this console, and the commit it was built from, if known."""

import os
import re
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings

ROOT: Final[Path] = settings.BASE
COMMIT: Final = "EDICTUM_SITE_COMMIT"  # set by builds, as they have no repository
SHOWN: Final = 8
_HASH: Final = re.compile(r"[0-9a-f]{7,64}")


def version() -> str:
    return str(settings.RELEASE)


@cache
def commit() -> str:
    """Short commit hash; empty if neither a build variable nor a repository has it."""
    text = os.environ.get(COMMIT, "") or _commit_of(ROOT / ".git")
    return text[:SHOWN] if _HASH.fullmatch(text) else ""


def _commit_of(git: Path) -> str:
    """Commit hash read from the files of a repository, as git may not be installed."""
    try:
        if git.is_file():  # in a linked worktree
            git = (git.parent / git.read_text().partition("gitdir:")[2].strip()).resolve()
        head = (git / "HEAD").read_text().strip()
        name = head.partition("ref: ")[2]
        return _ref(git, name) if name else head
    except OSError:
        return ""


def _ref(git: Path, name: str) -> str:
    common = git / "commondir"
    shared = (git / common.read_text().strip()).resolve() if common.is_file() else git
    for folder in (git, shared):
        if (folder / name).is_file():
            return (folder / name).read_text().strip()
    packed = (shared / "packed-refs").read_text().splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {name}")), "")
