"""Load that lasts, in its short form: each fault once, at a low rate."""

import subprocess
import sys

import pytest

from edictum_site.program.place import BASE as ROOT

SHORT = "--postgres --minutes 1.2 --items 40 --every 5 --streams 40 --old 400 --seed 3"


# `make soak` runs it for half an hour on each database; here one is enough.
@pytest.mark.one_database
@pytest.mark.slow
def test_nothing_is_lost_or_wrong_after_minutes_of_load_and_faults(capsys):
    command = [sys.executable, "-m", "tests.soak", *SHORT.split()]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=390)
    with capsys.disabled():
        print(done.stdout, end="")  # noqa: T201 - the ledger is what it is run for
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing lost, nothing doubled, no 500, every verdict and count right." in done.stdout
