"""Prepare the console to start: database, tables, static files, first project and key.

Every start runs it, so it is cheap if there is nothing to do.
"""

import fcntl
import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from edictum_site.env import SettingInvalid
from edictum_site.first_start import make_first_things
from outcomes.artifacts.commands.places import OthersStore, claim_store
from outcomes.core import artifact_store
from outcomes.core.artifact_store import StoreAway, fault_words
from outcomes.database import IS_SERVER
from outcomes.health.commands import note_schema
from outcomes.health.queries import is_newer_schema, reason_not_to_migrate, schema_problem
from outcomes.hosts.commands import HostRefused, register

PATIENCE = 10.0  # seconds to wait for a database that is starting
EVERY_PROCESS = ("web", "worker", "jobs", "scheduler")  # of `manage.py up`
TRIED_EVERY = 0.2  # seconds
LOCK = 0x6564_6963  # PostgreSQL advisory lock for this command


class Command(BaseCommand):
    help = "Migrate, collect static files, and make what a first start needs."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        part = parser.add_mutually_exclusive_group()
        part.add_argument("--shared", action="store_true", help="only what all hosts share")
        part.add_argument("--host", nargs="+", default=[], help="only this host, by its processes")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with alone():
                if options["host"]:
                    refuse_unfit_schema()
                else:
                    migrate()
                if not options["shared"]:
                    collect_static()
                    self._check_artifact_store()
                    register(options["host"] or EVERY_PROCESS)
                if not options["host"]:
                    for line in make_first_things():
                        self.stdout.write(line)
        except (SettingInvalid, HostRefused) as refused:
            raise CommandError(str(refused)) from None

    def _check_artifact_store(self) -> None:
        """Check the artifact store. A wrong setting is an error; an unreachable store is not, as
        the running console waits for it."""
        try:
            artifact_store.try_to_write()
            claim_store()
        except StoreAway as away:
            if away.is_setting:
                raise CommandError(f"{fault_words(away)} Check EDICTUM_SITE_ARTIFACTS.") from None
            self.stdout.write(fault_words(away))
        except OSError as error:
            self.stdout.write(fault_words(error))
        except OthersStore as others:
            raise CommandError(str(others)) from None


def wait_for_database() -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.ensure_connection()
        except DatabaseError as error:
            if not IS_SERVER or time.monotonic() > until:
                why = str(error).strip().splitlines()[0].strip()
                raise CommandError(f"The database cannot be used: {why}") from None
            time.sleep(0.5)
        else:
            return


@contextmanager
def alone() -> Iterator[None]:
    """Lock out other processes and machines that prepare at the same time."""
    if IS_SERVER:
        wait_for_database()
        with locked_by_transaction():
            yield
    else:
        with (settings.DATA / "prepare.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            # Connect only with the lock held: opening a new file sets its journal mode, which
            # doesn't wait for other processes.
            wait_for_database()
            yield


@contextmanager
def locked_by_transaction() -> Iterator[None]:
    """Hold an advisory lock in a transaction on a separate connection, as behind a pooler a session
    only lasts for a transaction."""
    locking = connection.copy()
    try:
        while not _try_lock(locking):
            locking.rollback()  # don't hold a pooler's connection while waiting
            time.sleep(TRIED_EVERY)
        yield
    finally:
        locking.close()


def _try_lock(locking: BaseDatabaseWrapper) -> bool:
    locking.set_autocommit(False)
    with locking.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [LOCK])
        return bool(cursor.fetchone()[0])


def migrate() -> None:
    refuse_other_schemas()
    if is_newer_schema():
        return
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False, verbosity=0)
        call_command("createcachetable", verbosity=0)
    note_schema()


def refuse_unfit_schema() -> None:
    """Refuse to start on a host whose code needs another schema; such hosts never migrate."""
    if problem := schema_problem():
        raise CommandError(problem)


def refuse_other_schemas() -> None:
    """Refuse to migrate a newer schema, as older code must not write to it."""
    if reason := reason_not_to_migrate():
        raise CommandError(reason)


def collect_static() -> None:
    """Collect static files if one changed, as hashing and compressing them takes a second."""
    if settings.DEBUG:
        return  # the finders serve files directly
    stamp = settings.DATA / "static.stamp"
    now = fingerprint()
    if stamp.exists() and stamp.read_text() == now:
        return
    call_command("collectstatic", interactive=False, verbosity=0, clear=False)
    stamp.write_text(now)


def fingerprint() -> str:
    """Digest of the files to collect: names, sizes, times, and the target folder."""
    digest = hashlib.sha256(str(settings.STATIC_ROOT).encode())
    for finder in get_finders():
        for name, storage in sorted(finder.list([]), key=lambda each: str(each[0])):
            changed = storage.get_modified_time(name).timestamp()
            digest.update(f"{name}\0{storage.size(name)}\0{changed}\n".encode())
    return digest.hexdigest()
