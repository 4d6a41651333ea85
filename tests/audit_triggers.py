"""Drops the audit log's triggers in tests: to simulate an intruder, and while Django flushes all
tables after a test that commits."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import connection
from django.db.backends.base.operations import BaseDatabaseOperations

from governance.audit_log.triggers import CREATE, DROP


@contextmanager
def dropped_triggers() -> Iterator[None]:
    """Drop the triggers until the block ends, as someone with the database owner's rights could."""
    with connection.cursor() as cursor:
        for statement in DROP[connection.vendor]:
            cursor.execute(statement)
        yield
        for statement in CREATE[connection.vendor]:
            cursor.execute(statement)


def let_tests_flush() -> None:
    flush = BaseDatabaseOperations.execute_sql_flush

    def execute_sql_flush(self: BaseDatabaseOperations, sql_list: Iterable[str]) -> None:
        flush(self, [*DROP[connection.vendor], *sql_list, *CREATE[connection.vendor]])

    BaseDatabaseOperations.execute_sql_flush = execute_sql_flush  # type: ignore[method-assign]
