"""Query plans of inbox processing: no statement scans an entire table."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection

from tests import builders
from tests.builders import an_outcome
from tests.outcomes.posting import Agent, settle

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 200  # with fewer rows SQLite is less likely to scan a table


def a_session(name: str) -> Iterator[dict[str, Any]]:
    yield an_outcome(f"{name}-fails", output="Error: x", session_id=name)
    yield an_outcome(f"{name}-denied", type="denied", reason="contract", session_id=name)
    refers = {"artifact_id": name, "summary": "s", "size_bytes": 13_000}
    yield an_outcome(f"{name}-refers", type="artifact_reference", session_id=name, **refers)


def test_no_statement_scans_an_entire_table():
    agent = Agent(builders.bearing(builders.a_key(builders.a_project(), "ingest")[0]))
    for batch in range(2):
        items = [each for number in range(MANY) for each in a_session(f"{batch}-{number}")]
        agent.door(json.dumps({"outcomes": items}).encode())
        if not batch:
            settle()
    fields = {}

    def remember(execute, sql, params, many, context):
        if not many and sql.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
            fields[sql] = params
        return execute(sql, params, many, context)

    with connection.execute_wrapper(remember):
        settle()
    assert any("outcomes_callgroup" in sql for sql in fields)
    plans = {sql: plan(sql, params) for sql, params in fields.items()}
    slow = {sql: steps for sql, steps in plans.items() if any(map(is_slow, steps))}
    assert slow == {}


def plan(sql: str, params: Any) -> list[str]:
    on_postgresql = connection.vendor == "postgresql"
    with connection.cursor() as cursor:
        if on_postgresql:  # it would scan small tables despite an index
            cursor.execute("SET enable_seqscan = off")
        cursor.execute(f"EXPLAIN {'' if on_postgresql else 'QUERY PLAN '}{sql}", params)
        steps = [str(row[0 if on_postgresql else 3]).strip() for row in cursor.fetchall()]
        if on_postgresql:
            cursor.execute("RESET enable_seqscan")
        return steps


def is_slow(step: str) -> bool:
    grows = any(f" {table} " in step for table in ("outcomes_call", "outcomes_artifact", "stored"))
    goes_through = step.startswith("SCAN") or "Seq Scan on" in step or "(project_id=?)" in step
    return "AUTOMATIC" in step or (grows and goes_through)
