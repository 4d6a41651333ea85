"""Baseline for backtests: `python -m bench.bare_loop` reads an Order from standard input, evaluates
its calls one by one in one process with only the library, and prints a Counted.

Every recorded call is evaluated, including duplicates. The calls are already decoded in memory; the
loop only runs `evaluate()`, builds the library's principal, converts the output to text, and counts
the decisions.
"""

import os
import subprocess
import sys
import time
from typing import Any

import msgspec
from edictum import Edictum, Principal
from edictum.audit import CollectingAuditSink

from bench.machine import ROOT

POLITENESS = 15  # niceness of the product's job processes
DECISIONS = {"ask": "newly_asking", "block": "newly_denied"}


class Order(msgspec.Struct):
    document: str
    actions: dict[str, str]  # by rule id, because the library doesn't report them
    calls: list[dict[str, Any]]


class Counted(msgspec.Struct):
    seconds: float  # of the loop, without loading the document
    processor: float  # CPU seconds of the loop
    decisions: dict[str, int]


def bare_loop(order: Order) -> Counted:
    request = subprocess.run(
        [sys.executable, "-m", "bench.bare_loop"],
        input=msgspec.json.encode(order),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=True,
    )
    return msgspec.json.decode(request.stdout, type=Counted)


def carry_out(order: Order) -> Counted:
    os.nice(POLITENESS)  # a backtest has the same low priority
    guard = Edictum.from_yaml_string(order.document, audit_sink=CollectingAuditSink())
    decisions: dict[str, int] = {}
    began, worked = time.perf_counter(), time.process_time()
    for call in order.calls:
        result = guard.evaluate(
            call["tool_name"],
            call["tool_args"],
            principal=Principal(**call["principal"]),
            output=str(call["output"]) if "output" in call else None,
            environment="production",
        )
        if result.decision == "block":
            rule = next(each for each in result.rules if not each.passed and not each.observed)
            decision = DECISIONS[order.actions[rule.rule_id]]
            decisions[decision] = decisions.get(decision, 0) + 1
    return Counted(time.perf_counter() - began, time.process_time() - worked, decisions)


if __name__ == "__main__":
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=Order)
    sys.stdout.buffer.write(msgspec.json.encode(carry_out(order)))
