"""`python -m bench.memory`: idle memory of all processes that a start creates, including the
evaluation process, and the installed size.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.governing import CONTRACT
from bench.installed import sizes
from bench.processes import family, processes
from bench.site import Site, site
from bench.stores import store

IDLE = 60.0  # seconds after the first page
PSS_LIMIT, SIZE_LIMIT = 300, 200  # MB, MiB
_EVALUATOR = "governance/evaluation/evaluator"


def main() -> int:
    with (
        tempfile.TemporaryDirectory(prefix="edictum-memory-") as name,
        store("sqlite", Path(name)) as chosen,
        site(chosen) as running,
    ):
        answered = _wake_evaluator(running)
        time.sleep(IDLE)
        result = _memory(running.running.process.pid)
    there = any(_EVALUATOR in each["command"] for each in result)
    total = sum(each["pss_mb"] for each in result)
    installed = sizes()
    print(json.dumps({"pss_mb": round(total, 1), "processes": result, "installed": installed}))
    for each in result:
        print(f"{each['pss_mb']:7.1f} MB  {each['command']}")
    print(f"{total:7.1f} MB  in all; the limit is {PSS_LIMIT}")
    if not there:
        print(f"Without the evaluation process: it was asked for, and the answer was {answered}.")
    print(f"{installed['blocks_mib']:7.1f} MiB installed; the limit is {SIZE_LIMIT}")
    return int(not there or total >= PSS_LIMIT or installed["blocks_mib"] >= SIZE_LIMIT)


def _wake_evaluator(running: Site) -> int:
    """Validate a contract, as the editor does, because the evaluator starts on first use."""
    status, _ = running.ask("POST", "/v1/contracts/validate", {"yaml": CONTRACT})
    return status


def _memory(supervisor: int) -> list[dict[str, Any]]:
    return [
        {"pss_mb": round(pss(each.pid), 1), "command": _command(each.pid)}
        for each in family(supervisor, processes())
    ]


def pss(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def _command(pid: int) -> str:
    """Command line of a process, without folder names."""
    words = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")
    short = [word.rsplit("/", 2 if _EVALUATOR in word else 1)[-1] for word in words if word]
    stored = f" ({_EVALUATOR})" if any(_EVALUATOR in word for word in words) else ""
    return " ".join(short[:6]) + stored


if __name__ == "__main__":
    sys.exit(main())
