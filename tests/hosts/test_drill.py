"""Short drill on three hosts: one is disconnected, one lost, one has a wrong clock."""

import subprocess
import sys

import pytest

from edictum_site.program.place import BASE
from tests.hosts.network import why_not

pytestmark = pytest.mark.slow  # it starts three hosts


def test_three_hosts_lose_nothing_and_count_nothing_twice():
    if reason := why_not():
        pytest.skip(reason)
    command = [sys.executable, "-m", "tests.hosts", "--items", "2000", "--cut-off", "6"]
    done = subprocess.run(command, cwd=BASE, capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Every acknowledged id is there, every count exact." in done.stdout
