"""Connections of the session store: every query gets its own rows."""

import asyncio
from typing import Any

import pytest
from django.db import DatabaseError

from edictum_site.session_store.connections import open_connection
from outcomes.database.statements import Query, Row, Statement

pytestmark = pytest.mark.django_db
LENGTH = "SELECT CAST(length(CAST(%s AS text)) AS bigint)"


def querying(text: str, *values: Any) -> Query[list[Row]]:
    return Query(Statement(text, [values]), list)


def results_of(*queries: Query[list[Row]]) -> list[Any]:
    """Rows or errors of these queries, run in sequence on one connection."""

    async def run_all() -> list[Any]:
        connection = open_connection("tested")
        results: list[Any] = []
        for query in queries:
            try:
                results.append(await connection.run(query))
            except DatabaseError as error:
                results.append(error)
        await connection.close()
        return results

    return asyncio.run(run_all())


def test_a_failed_query_does_not_affect_later_queries():
    one, refused, other = results_of(
        querying(LENGTH, "one"), querying("SELECT missing FROM nowhere"), querying(LENGTH, "other")
    )
    assert (one, other) == ([(3,)], [(5,)])
    assert "nowhere" in str(refused)


def test_a_query_larger_than_the_pipe_is_sent_completely():
    assert results_of(querying(LENGTH, "x" * 3_000_000)) == [[(3_000_000,)]]


def test_a_canceled_query_does_not_affect_later_queries():
    async def run() -> list[Row]:
        connection = open_connection("tested")
        cancelled = asyncio.create_task(connection.run(querying(LENGTH, "x" * 3_000_000)))
        await asyncio.sleep(0)
        cancelled.cancel()
        with pytest.raises(asyncio.CancelledError):
            await cancelled
        rows = await connection.run(querying(LENGTH, "four"))
        await connection.close()
        return rows

    assert asyncio.run(run()) == [(4,)]
