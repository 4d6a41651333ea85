"""The library alone: `python -m bench.bare_loop` reads an Order from its standard input, asks the
library about one call after the other in one process, and prints a Counted.

Every recorded call is asked about, equal ones too. The calls lie in memory, decoded; inside of the
loop are only `evaluate()`, the principal as the library wants it and the text of an output. Nothing
is read, compared or added up but the decisions.
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

POLITENESS = 15  # of a process that runs a job
DECISIONS = {"ask": "newly_asking", "block": "newly_denied"}


class Order(msgspec.Struct):
    document: str
    actions: dict[str, str]  # of each rule: the library does not tell
    calls: list[dict[str, Any]]


class Counted(msgspec.Struct):
    seconds: float  # of the loop, without loading the document
    processor: float  # seconds of it
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
    os.nice(POLITENESS)  # beside whatever else runs, a backtest is as patient
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
