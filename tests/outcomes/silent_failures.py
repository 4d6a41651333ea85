"""Thirty tools with realistic outputs, ten of which fail silently."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from governance.models import Project
from outcomes.models import Suggestion, Tool
from tests import builders

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
EACH = 12  # outputs per tool; every third one of a failing tool is a failure

# Output on success, output on failure, and the rule that detects the failure.
FAILING: dict[str, tuple[Any, Any, str]] = {
    "crm_update": ({"ok": True, "id": 7}, {"ok": False, "error": "stale_record"}, "flags/not-ok"),
    "http_get": ({"status": 200, "body": "Fine"}, {"status": 503, "body": "Busy"}, "http/status"),
    "mcp_search": (
        {"content": [{"type": "text", "text": "3 hits"}], "isError": False},
        {"content": [{"type": "text", "text": "no index"}], "isError": True},
        "mcp/is-error",
    ),
    "rpc_call": (
        {"jsonrpc": "2.0", "id": 1, "result": {"sum": 4}},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}},
        "mcp/protocol-error",
    ),
    "graph_query": (
        {"data": {"user": {"id": "1"}}},
        {"data": None, "errors": [{"message": "Cannot query field", "path": ["user"]}]},
        "graphql/errors",
    ),
    "run_shell": (
        {"exit_code": 0, "stdout": "done\n", "stderr": ""},
        {"exit_code": 2, "stdout": "", "stderr": "make: no rule"},
        "shell/error-output",
    ),
    "post_message": (
        json.dumps({"ok": True, "ts": "1.2"}),
        json.dumps({"ok": False, "error": "channel_not_found"}),
        "openai/output-flag",
    ),
    "put_records": (
        {"FailedRecordCount": 0, "Records": [{"SequenceNumber": "1"}]},
        {"FailedRecordCount": 2, "Records": [{"ErrorCode": "Throttled"}, {"SequenceNumber": "2"}]},
        "aws/failed-records",
    ),
    "db_execute": (
        {"rowcount": 1, "sqlstate": "00000"},
        {"sqlstate": "40001", "message": "could not serialize access"},
        "sql/try-again",
    ),
    "provision": (
        {"success": True, "host": "a-1"},
        {"success": False, "message": "quota exceeded"},
        "flags/no-success",
    ),
}
# Outputs that only look like failures.
WORKING: dict[str, Any] = {
    "get_customer": {"id": 1, "name": "Error Ltd", "error": None, "status": "active"},
    "import_rows": {"imported": 40, "failed": 0, "errors": []},
    "search_logs": {"hits": [{"level": "error", "message": "failed to connect: Error 500"}]},
    "list_pages": {"page": 404, "items": [{"title": "404 Not Found"}]},
    "uptime": {"checks": [{"url": "https://example.test", "status": 404}], "checked": 1},
    "read_file": "def fail():\n    raise ValueError('error')\n",
    "summarise": "The deployment failed twice because of an error in the configuration.",
    "get_order": {"order": {"code": 404, "number": 500}, "total": 3},
    "get_build": {"build": 12, "status": "failed", "url": "https://ci.example.test/12"},
    "measure": {"value": 4.2, "error": 0.02},
    "is_member": False,
    "delete_key": None,
    "count": 0,
    "query_users": {"rows": []},
    "send_mail": {"ok": True, "warnings": ["error in the footer"], "error": None},
    "run_tests": {"exit_code": 0, "stdout": "0 failed, 12 passed", "stderr": "DeprecationWarning"},
    "translate": "Fehler: nichts gefunden",
    "get_ticket": {"id": "T-9", "type": "error", "title": "Login fails", "state": "open"},
    "weather": {"code": 3, "description": "overcast", "success": True},
    "list_jobs": [{"id": 1, "failed": False, "error": ""}, {"id": 2, "failed": False}],
}


def a_suggestion(project: Project, tool: str = "crm_update") -> Suggestion:
    """A suggestion as a scan stores it."""
    names, _ = Tool.objects.get_or_create(project=project, name=tool, digest=tool.encode()[:16])
    return Suggestion.objects.create(
        project=project,
        tool=names,
        check_name="flags",
        rule="not-ok",
        results=3,
        of=9,
        first_at=NOON,
        last_at=NOON + timedelta(minutes=1),
        judge="default",
        saw=[["result.ok", "false", 3]],
        first_seen_at=NOON,
        looked_at=NOON,
    )


def results() -> Iterator[dict[str, Any]]:
    """Outcomes of all tools, the same number for each."""
    for number in range(EACH):
        for tool, (worked, failed, _) in FAILING.items():
            yield _posted(tool, number, failed if number % 3 == 0 else worked)
        for tool, output in WORKING.items():
            yield _posted(tool, number, output)


def _posted(tool: str, number: int, output: Any) -> dict[str, Any]:
    at = (NOON + timedelta(seconds=number)).isoformat()
    return builders.an_outcome(
        call_id=f"{tool}-{number}", tool_name=tool, output=output, timestamp=at, agent_id="bot"
    )
