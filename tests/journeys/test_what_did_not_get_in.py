"""Invalid events and failed batches are listed and delay nothing else."""

import json
import sqlite3
import sys
from datetime import UTC, datetime

import psycopg
import pytest
from playwright.sync_api import expect

from tests.items import an_outcome
from tests.journeys.console import Console, a_session
from tests.journeys.test_stream_processes import until

pytestmark = pytest.mark.both_databases

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

COLUMNS = "project_id, environment_id, agent, source, items, body, received_at, tries, error"
INSERT = (
    f"INSERT INTO outcomes_batch ({COLUMNS}) SELECT project_id, id, 'poisoner', 'outcomes', 1,"  # noqa: S608
    " {0}, {0}, 0, '' FROM governance_environment WHERE name = 'production' RETURNING id"
)
UPDATE = "UPDATE outcomes_batch SET body = {0} WHERE id = {0}"


def write(console: Console, statement: str, *values: object) -> int:
    """Write directly to the database, bypassing all validation."""
    if console.database:
        with psycopg.connect(console.database, autocommit=True) as server:
            cursor = server.execute(statement.format("%s").encode(), values)
            row = cursor.fetchone() if cursor.description else None
    else:
        connection = sqlite3.connect(console.product.data / "edictum-site.sqlite3", timeout=60)
        with connection:
            row = connection.execute(statement.format("?"), values).fetchone()
        connection.close()
    return int(row[0]) if row else 0


def test_an_invalid_event_is_listed_with_its_reason(console, admin):
    odd = f"odd-{a_session()}"
    answer = console.post({"type": odd, "call_id": "c", "tool_name": "t"}, an_outcome())
    assert (answer["accepted"], answer["rejected"][0]["code"]) == (1, "unknown_type")
    admin.goto(f"{console.url}/p/default/settings/invalid-events/")
    row = admin.get_by_role("row").filter(has_text=odd)
    expect(row).to_contain_text("unknown_type")


def test_an_unprocessable_batch_is_set_aside_and_can_be_retried_on_its_page(console, admin):
    session = a_session()
    now = datetime.now(UTC)
    at = now if console.database else now.strftime("%Y-%m-%d %H:%M:%S.%f")
    batch = write(console, INSERT, b"rubbish", at)
    console.post(an_outcome(f"{session}-1", session_id=session))
    # The next batch is processed before this one is set aside.
    assert until(lambda: console.ask("GET", f"outcomes/{session}-1")[0] == 200)
    admin.goto(f"{console.url}/p/default/settings/failed-batches/")
    row = admin.get_by_role("row").filter(
        has=admin.get_by_role("cell", name=str(batch), exact=True)
    )
    until(lambda: row.count() or not admin.reload())
    expect(row).to_contain_text("poisoner")
    expect(row).to_contain_text("Unable to decompress")
    good = json.dumps([an_outcome(f"{session}-late", session_id=session)]).encode()
    write(console, UPDATE, zstd.compress(good), batch)
    row.get_by_role("button", name="Retry").click()
    expect(row).to_have_count(0)
    path = f"agent-sessions/{session}"
    assert until(lambda: console.settled(path)["counts"]["attempts"] == 2)
    assert console.settled(f"outcomes/{session}-late")["session_id"] == session
