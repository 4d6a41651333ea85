"""Agent and console give the same verdict for 10,000 generated outputs, whether the agent has the
check as a Python function or by name, and whether the check is bound or not.

The agent is the real client, short of its sending; the console reads, folds, classifies and decides
as it does when it settles, short of writing.
"""

import dataclasses
import datetime
import decimal
import random
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from edictum_site_client import Console
from edictum_site_client.named_checks import Followed, NamedCheck
from edictum_site_client.transport import File

from governance.checks.commands.checks import save_check
from governance.core.actor import CONSOLE
from governance.models import Environment
from outcomes.record import codec
from outcomes.record.codec.rows import Keys
from outcomes.record.wire import Sender
from outcomes.settling.claims import Claimed
from outcomes.settling.decode import Reading, read
from tests.governance.naming import bound
from tests.outcomes.posting import Agent

RESULTS = 10_000
AT_ONCE = 500
PAGE = (Path(__file__).parents[3] / "docs" / "success.md").read_text()
TOOLS = ("http_get", "query_users", "crm_update", "search")
TEXTS = (
    "", "ok", "error", "Error: no such thing", "ERROR: x", "fatal: x", "failed", "done", "pending",
    "Traceback (most recent call last):\n  File", "404", '{"ok": false}', "not found", "\u00e9" * 9,
    "Bearer abcdefghijklmnopqrstuvwxyz",
)  # fmt: skip
NUMBERS = (0, 1, -1, 200, 204, 302, 399, 400, 404, 500, 599, 2**53 + 1, 0.5, 399.9, 400.0, -0.0)
KEYS = (
    "ok", "success", "status", "status_code", "statusCode", "code", "error", "errors", "is_error",
    "isError", "message", "rows", "items", "conflicts", "field", "failed", "state", "value", "body",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Answer:
    status: Any
    ok: Any


def documents() -> dict[str, str]:
    texts = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
    return {re.findall(r"name: ([a-z-]+)", text)[0]: text for text in texts}


def some_results() -> Iterator[tuple[str, Any]]:
    """Python values, some of which are not JSON until the client converts them."""
    dice = random.Random(13)  # noqa: S311 - the same results on every run

    def value(depth: int = 0) -> Any:
        kind = dice.randrange(10 if depth < 3 else 5)
        if kind < 2:
            return dice.choice(TEXTS)
        if kind < 4:
            return dice.choice(NUMBERS)
        if kind == 4:
            return dice.choice((None, True, False))
        if kind == 5:
            return [value(depth + 1) for _ in range(dice.randrange(4))]
        if kind == 6:
            return python_value(depth)
        return {key: value(depth + 1) for key in dice.sample(KEYS, dice.randrange(5))}

    def python_value(depth: int) -> Any:
        made: tuple[Callable[[], Any], ...] = (
            lambda: Answer(value(depth + 1), value(depth + 1)),
            lambda: tuple(value(depth + 1) for _ in range(2)),
            lambda: decimal.Decimal("404.5"),
            lambda: datetime.date(2026, 11, 18),
            lambda: uuid.UUID(int=dice.getrandbits(128)),
            lambda: dice.choice(TEXTS).encode(),
            lambda: {dice.choice(NUMBERS): value(depth + 1)},
        )
        return dice.choice(made)()

    for number in range(RESULTS):
        result = value()
        is_large = number % 100 == 0  # large enough to become an artifact
        yield dice.choice(TOOLS), {"text": "x" * 15_000, "of": result} if is_large else result


class Outbox(Console):
    """A client that collects its items instead of sending them."""

    def __init__(self, check: Any) -> None:
        super().__init__("http://127.0.0.1:9", api_key="edk_production_x", success_check=check)
        self.stored_rows: list[bytes] = []

    def _keep(self, family: Any, body: bytes) -> None:
        self.stored_rows.append(body)


def exported(agent: Agent, name: str) -> Any:
    module: dict[str, Any] = {"__name__": "exported"}
    answer = agent.client.get(f"/v1/success-checks/{name}.py")
    assert answer.status_code == 200
    exec(answer.content.decode(), module)  # noqa: S102 - what an agent would import
    return module["success_check"]


def by_name(agent: Agent, name: str) -> NamedCheck:
    followed = Followed(name, agent.get(f"success-checks/{name}")["version"], None)

    def ask(path: str, etag: str) -> File:
        answer = agent.client.get(f"/v1/{path}")
        return File(answer.status_code, answer.content, answer.headers["ETag"])

    assert followed.refresh(ask), followed.last_error
    return NamedCheck(followed, None, None)  # type: ignore[arg-type]  # one version: never asked again


def verdicts_of(reading: Reading) -> Iterator[tuple[str, str, str]]:
    for answer in reading.calls.values():
        keys = Keys(answer.project, answer.environment, 1, 1, None, None, None, answer.digest)
        row = codec.call_row(
            answer.call, answer.verdicts, keys, 1, answer.received_at, is_bound=answer.is_bound
        )
        yield row.call_id, row.verdict, row.decided_by


@pytest.mark.one_database
@pytest.mark.slow
@pytest.mark.parametrize("given", ["function", "name"])
@pytest.mark.parametrize("name", ["unified", "too-late", "crm", "default"])
def test_agent_and_console_agree_on_every_result(project, agent, name, given):
    for text in documents().values():
        save_check(project, document=text, by=CONSOLE)
    check = exported(agent, name) if given == "function" else by_name(agent, name)
    client = Outbox(check)
    environment = Environment.objects.get(project=project)
    now = datetime.datetime.now(datetime.UTC)
    sender = Sender(environment.name, "bot", "", now)
    fields: dict[str, str] = {}
    differing: list[tuple[str, str, str, str]] = []

    def compare() -> None:
        body = codec.pack_batch(client.stored_rows)
        batch = Claimed(1, project.pk, environment.pk, "outcomes", sender, body)
        for lines, decider in (((), "agent"), ((f"* {name}",), "check")):
            bound(project, *lines)
            for call, verdict, decided_by in verdicts_of(read([batch], {})):
                if (verdict, decided_by) != (fields[call], decider):
                    differing.append((call, fields[call], verdict, decided_by))
        client.stored_rows.clear()

    for number, (tool, result) in enumerate(some_results(), 1):
        with client.call(tool, {}, call_id=f"call-{number}") as call:
            call.returned(result)
        fields[call.call_id] = "success" if check(tool, result) else "failure"
        if number % AT_ONCE == 0:
            compare()
    assert len(fields) == RESULTS
    assert set(fields.values()) == {"success", "failure"}
    assert differing == []
