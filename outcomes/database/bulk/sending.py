"""PostgreSQL statements that are sent first and fetched later: the server works on another core,
and this process can work meanwhile."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from django.db import connection

if TYPE_CHECKING:
    from psycopg.pq.abc import PGconn, PGresult

Meanwhile = Callable[[], bool]  # does some work; returns whether there is more


def carried_out(
    statement: str, arrays: Sequence[bytes], meanwhile: Meanwhile | None = None
) -> "PGresult":
    """Execute a statement. `meanwhile` runs during that and must not query this database."""
    # The driver's cursor packs values itself and blocks until the result, so this uses libpq.
    from psycopg import errors, generators  # noqa: PLC0415 - not there where SQLite serves
    from psycopg.pq import ExecStatus, TransactionStatus  # noqa: PLC0415

    connection.ensure_connection()
    driver: Any = connection.connection
    server = driver.pgconn
    with connection.wrap_database_errors:
        if not driver.autocommit and server.transaction_status == TransactionStatus.IDLE:
            driver.execute("SELECT 1")  # the driver begins a transaction with its own statements
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
    server.consume_input()  # non-blocking read of what has arrived
    return bool(server.is_busy())
