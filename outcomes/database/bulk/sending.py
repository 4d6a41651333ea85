"""A statement on PostgreSQL that is sent, and whose rows are fetched later: its server works on
another core meanwhile, and so may we.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from django.db import connection

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn, PGresult

Meanwhile = Callable[[], bool]  # does a little, and tells whether there is more to do


def carried_out(
    statement: str, arrays: Sequence[bytes], meanwhile: Meanwhile | None = None
) -> "PGresult":
    """`meanwhile` is done while the server works; nothing in it may ask this database."""
    # The driver's cursor packs values itself and waits for the rows: this is one floor below it.
    from psycopg import errors, generators  # noqa: PLC0415 - not there where SQLite serves
    from psycopg.pq import ExecStatus, TransactionStatus  # noqa: PLC0415

    connection.ensure_connection()
    driver: Any = connection.connection
    server = driver.pgconn
    with connection.wrap_database_errors:
        if not driver.autocommit and server.transaction_status == TransactionStatus.IDLE:
            driver.execute("SELECT 1")  # with the first of its own the driver begins a transaction
        server.send_query_params(statement.encode(), arrays, None, [1] * len(arrays), 1)
        driver.wait(generators.send(server))
        try:
            while meanwhile is not None and meanwhile() and _is_at_work(server):
                pass
        finally:
            (result,) = driver.wait(generators.fetch_many(server))
        if result.status not in {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}:
            raise errors.error_from_result(result)
        checked: PGresult = result
        return checked


def _is_at_work(server: "PGconn") -> bool:
    server.consume_input()  # what is there: it waits for nothing
    return bool(server.is_busy())
