"""Calls that the backtests of a bench replay, and a contract of ten rules to replay them against.

The realistic mix repeats a few dozen files, hosts and commands for a few roles, without outputs, as
SDKs report calls. In the other workload, no two calls are equal in any field that rules read, and
each has an output, as executors report calls."""

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

OF_A_SESSION = 50
APART = timedelta(milliseconds=10)
BUNDLE = "replayed"
CONTRACT = f"""\
apiVersion: edictum/v1
kind: Ruleset
metadata: {{name: {BUNDLE}}}
defaults: {{mode: enforce}}
rules:
  - {{id: no-secrets, type: pre, tool: "*", when: {{args.path: {{contains_any: [.env, .pem]}}}}, then: {{action: block, message: Not that file.}}}}
  - {{id: no-system, type: pre, tool: "*", when: {{args.path: {{starts_with: /etc}}}}, then: {{action: block, message: Not there.}}}}
  - {{id: no-removing, type: pre, tool: "*", when: {{args.command: {{matches: '\\brm\\s+-rf\\b'}}}}, then: {{action: block, message: Not so.}}}}
  - {{id: no-pipes-to-shells, type: pre, tool: "*", when: {{args.command: {{matches: 'curl .*\\|\\s*sh'}}}}, then: {{action: block, message: Not so.}}}}
  - {{id: known-hosts, type: pre, tool: "*", when: {{all: [{{args.url: {{exists: true}}}}, {{not: {{args.url: {{matches: '^https://[a-z0-9.-]*example\\.test/'}}}}}}]}}, then: {{action: block, message: Not on the list.}}}}
  - {{id: large-payments, type: pre, tool: pay, when: {{args.amount: {{gt: 900}}}}, then: {{action: ask, message: Ask somebody.}}}}
  - {{id: who-may-pay, type: pre, tool: pay, when: {{principal.role: {{not_in: [billing, admin]}}}}, then: {{action: block, message: Not with this role.}}}}
  - {{id: within-records, type: sandbox, tool: write_file, within: [/records], outside: block, message: Not there.}}
  - {{id: no-passwords, type: post, tool: "*", when: {{output.text: {{contains: password}}}}, then: {{action: warn, message: A password.}}}}
  - {{id: enough, type: session, limits: {{max_tool_calls: 150}}, then: {{action: block, message: Enough.}}}}
"""  # noqa: E501 - a rule is a line, as its author has it
TOOLS = ("read_file", "read_file", "http_get", "http_get", "shell", "search", "search", "note",
         "write_file", "pay")  # fmt: skip
ROLES = ("analyst", "billing", "admin")


def calls(kind: str, number: int, first: datetime, version: str) -> Iterator[dict[str, Any]]:
    """Items of `POST outcomes`: allowed calls under this contract version, 10 ms apart."""
    # Seeded, so that every run has the same calls and runs can be compared.
    rng = random.Random(f"{kind} {number}")  # noqa: S311 - words, not secrets
    for place in range(number):
        tool = rng.choice(TOOLS) if kind == "mix" else TOOLS[place % 5]
        yield {
            "type": "execution_result",
            "call_id": f"{kind}-{place}",
            "tool_name": tool,
            "agent_id": f"{kind}-agent-{place // OF_A_SESSION % 8}",
            "session_id": f"{kind}-{place // OF_A_SESSION}",
            "timestamp": (first + place * APART).isoformat(),
            "tool_args": _arguments(tool, rng, rng.getrandbits(64) if kind != "mix" else None),
            "principal": {"user_id": f"u-{rng.getrandbits(32):08x}", "role": rng.choice(ROLES)},
            "tool_success": True,
            "policy_version": version,
            **_output(rng, kind),
        }


def _output(rng: random.Random, kind: str) -> dict[str, Any]:
    """Output fields: none for the mix, as from an SDK; otherwise an output, as from an executor."""
    if kind == "mix":
        return {}
    lines = [f"{rng.getrandbits(96):024x} found in line {number}" for number in range(14)]
    return {"output": {"ok": True, "lines": lines}}


def _arguments(tool: str, rng: random.Random, own: int | None) -> dict[str, Any]:
    """Arguments from a small set, or unique ones if `own` is given."""
    few = int(60 * rng.random() ** 2) if own is None else own
    match tool:
        case "read_file":
            return {"path": f"/records/{few}/settings{'.env' if few % 17 == 0 else '.yaml'}"}
        case "write_file":
            return {
                "path": f"/records/{few}.txt" if few % 11 else f"/srv/{few}.txt",
                "text": "x" * 80,
            }
        case "http_get":
            host = "other.test" if few % 13 == 0 else "api.example.test"
            return {"url": f"https://{host}/{few}", "headers": {"accept": "application/json"}}
        case "shell":
            return {"command": f"ls -la /records/{few}" if few % 19 else f"rm -rf /records/{few}"}
        case "pay":
            return {"amount": few * 20, "account": f"a-{few}"}
        case "search":
            return {"query": f"invoices of customer {few}"}
        case _:
            return {"text": f"{few} {rng.getrandbits(48):012x}"}
