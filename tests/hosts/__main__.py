"""`python -m tests.hosts`: three hosts as network namespaces, on one PostgreSQL, one Redis and one
bucket; fails when one count is not exact."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.hosts.drill import Report, drill
from tests.hosts.network import why_not

INSIDE = "EDICTUM_SITE_DRILL"  # set when running in a separate network namespace


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.hosts", description=__doc__)
    options.add_argument("--items", type=int, default=30_000)
    options.add_argument("--cut-off", type=float, default=20.0, help="seconds")
    options.add_argument("--seed", type=int, default=16)
    chosen = options.parse_args()
    if not os.environ.get(INSIDE):
        if reason := why_not():
            sys.stderr.write(f"Cannot run: {reason}.\n")
            return 2
        again = ["unshare", "--net", sys.executable, "-m", "tests.hosts", *sys.argv[1:]]
        return subprocess.run(again, env=os.environ | {INSIDE: "1"}).returncode
    del os.environ[INSIDE]
    with tempfile.TemporaryDirectory(prefix="edictum-hosts-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL runs as a different user
        report = drill(folder, items=chosen.items, cut_off=chosen.cut_off, seed=chosen.seed)
    sys.stdout.write(text_of(report))
    return 1 if report.problems else 0


def text_of(report: Report) -> str:
    jobs = ", ".join(f"{kind} {count}" for kind, count in sorted(report.jobs.items()))
    lines = [
        f"Three hosts, {report.seconds:.0f} s. One cut off for {report.cut_off:.0f} s, one killed"
        f" for good, the clock of the third {report.clock}.",
        f"Acknowledged: {report.posts} posts, {report.calls} calls; {report.repeats} bodies were"
        " sent again because no answer came.",
        f"Jobs: {jobs}. Artifacts compared: {report.artifacts}.",
        f"Stored: {report.stored['events']} events, {report.stored['calls']} calls,"
        f" {report.stored['sessions']} sessions; {report.stored['waiting']} batches wait.",
        *report.problems[:50],
        "Not exact." if report.problems else "Every acknowledged id is there, every count exact.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
