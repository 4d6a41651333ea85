"""Query plans of pages: no table scans."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.db import connection

from tests import builders
from tests.builders import an_outcome
from tests.edictum_site import routes
from tests.edictum_site.test_routes import address, everything_in, read, undone
from tests.outcomes.posting import Agent
from tests.outcomes.settling.test_settle_plans import plan

# Tables that grow with the calls of a project.
GROWS = {
    "outcomes_event", "outcomes_call", "outcomes_session", "outcomes_artifact",
    "outcomes_artifactuse", "outcomes_callgroup", "outcomes_rollup", "outcomes_grouprollup",
    "outcomes_rollupminute", "outcomes_posting", "outcomes_indexedcall", "outcomes_unindexedevents",
}  # fmt: skip
NAMED = re.compile(r'(?:FROM|JOIN) "?(\w+)"?(?: (?:AS )?"?(\w+)"?)?')

Statements = dict[str, Any]
Asking = Callable[[str], Statements]


@pytest.fixture
def asking(project, admin_client) -> Asking:
    """Queries of a page, in a project that has one of everything."""
    known = everything_in(project)
    denied = an_outcome("denied", type="denied", reason="contract", session_id="s-1")
    agent = Agent(builders.bearing(builders.a_key(project, "ingest")[0]))
    agent.post(denied | {"decision_name": "no-deleting", "tool_name": "search"})

    def statements(page: str) -> Statements:
        with undone(), remembered() as statements:
            read(admin_client.get(address(page, project, known)))
        return statements

    return statements


@contextmanager
def remembered() -> Iterator[Statements]:
    fields: Statements = {}

    def remember(execute, sql, params, many, context):
        if not many and sql.lstrip().upper().startswith(("SELECT", "WITH")):
            fields[sql] = params
        return execute(sql, params, many, context)

    with connection.execute_wrapper(remember):
        yield fields


def gone_through(sql: str, steps: list[str]) -> list[str]:
    """Steps that scan a growing table, or first build an index of it."""
    growing = {
        name for table, alias in NAMED.findall(sql) if table in GROWS for name in (table, alias)
    }
    items = []
    for step in steps:
        name = next(iter(step.partition(" ")[2].split()), "")
        by_no_index = step.startswith("SEARCH") and " USING " not in step  # SQLite, for a MAX
        if step.startswith("SCAN") or by_no_index or "AUTOMATIC" in step:
            is_slow = name in growing
        else:
            is_slow = any(f"Seq Scan on {table} " in step for table in GROWS)
        if is_slow:
            items.append(step)
    return items


@pytest.mark.slow
def test_no_page_scans_an_entire_table(asking):
    slow = {
        f"{page}: {sql[:300]}": result
        for page in sorted(routes.PROJECT_PAGES)
        if page.startswith("GET ")
        for sql, params in asking(page).items()
        if (result := gone_through(sql, plan(sql, params)))
    }
    assert slow == {}


@pytest.mark.parametrize(
    ("page", "parameters", "not_by"),
    [
        ("call", '"tool_id" +', "call_by_tool"),
        ("call_difference?of=c-1", '"tool_id" +', "call_by_tool"),
        ("artifact", "|| ''", "call_by_time"),
        ("contract_words", '"call_digest" IN', "event_by_project"),
        ("check_verdicts", '"check_version"', "call_by_time"),
    ],
)
def test_sqlite_does_not_use_unselective_indexes(asking, page, parameters, not_by):
    body = asking(f"GET outcomes:{page}")
    plans = [plan(sql, params) for sql, params in body.items() if parameters in sql]
    assert plans
    assert not [step for steps in plans for step in steps if not_by in step]


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT MAX(elapsed_ms) FROM outcomes_call",
        'SELECT COUNT(*) FROM (VALUES (1), (2)) AS wanted JOIN "outcomes_call" AS "stored"'
        " ON stored.detail = 'x'",
    ],
)
def test_a_table_scan_is_detected(project, statement):
    assert gone_through(statement, plan(statement, []))
