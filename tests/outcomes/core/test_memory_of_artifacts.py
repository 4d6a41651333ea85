"""Artifacts are streamed: memory does not grow with their size."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import buckets

pytestmark = pytest.mark.slow
MIB = 1024 * 1024
# Runs in a separate process to include memory of native libraries. The content is
# incompressible random bytes, generated on the fly.
PROGRAM = """
import hashlib, resource, sys
import django
django.setup()
from outcomes.core import artifact_store

def content(mebibytes):
    for number in range(mebibytes):
        yield hashlib.shake_128(b"%d" % number).digest(1024 * 1024)

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def there_and_back(mebibytes):
    stored = artifact_store.store(1, content(mebibytes))
    with artifact_store.Reader(1, stored.sha256) as reader:
        assert sum(map(len, reader.bytes_of(0, reader.size_bytes))) == mebibytes * 1024 * 1024

there_and_back(11)
before = peak()
there_and_back(88)
print(peak() - before)
"""


@pytest.mark.parametrize("kind", ["folder", "bucket"])
def test_memory_does_not_grow_with_the_size_of_an_artifact(tmp_path: Path, kind: str):
    address = buckets.a_bucket() if kind == "bucket" else (tmp_path / "store").as_uri()
    variables = {
        "DJANGO_SETTINGS_MODULE": "edictum_site.settings",
        "EDICTUM_SITE_DATA": str(tmp_path),
        "EDICTUM_SITE_ARTIFACTS": address,
    }
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=os.environ | variables, capture_output=True, text=True
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) < 16 * MIB
