"""The product on an object store: web, settling and jobs use it, each in its own processes."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from edictum_site.stack.children import manage_command
from edictum_site.stack.running import product
from tests import buckets
from tests.items import an_outcome

KEY = "edk_production_00000000000000000000000000000000"
ALONE = {"DATABASE_URL": "", "REDIS_URL": ""}
FAILED = b'{"is_error": true, "text": "%s"}' % (b"x" * 40_000)


@pytest.fixture
def console(tmp_path: Path) -> Iterator[tuple[httpx.Client, str]]:
    bucket = buckets.a_bucket()
    variables = {"EDICTUM_SITE_ARTIFACTS": bucket, "EDICTUM_SITE_BOOTSTRAP_KEY": KEY} | ALONE
    with product(tmp_path, variables) as running:
        headers = {"Authorization": f"Bearer {KEY}"}
        with httpx.Client(base_url=f"{running.url}/v1/", headers=headers, timeout=30) as client:
            yield client, bucket


def eventually(client: httpx.Client, path: str, **fields: Any) -> dict[str, Any]:
    """The answer as soon as it has these fields."""
    for _ in range(600):
        response = client.get(path)
        if response.status_code == 200 and fields.items() <= response.json().items():
            return dict(response.json())
        time.sleep(0.1)
    raise AssertionError(f"{path}: {response.status_code} {response.text}")


def test_uploads_outputs_and_reclassifications_use_the_bucket(console):
    client, bucket = console
    headers = {"Content-Type": "application/json"}
    name = client.post("artifacts", content=FAILED, headers=headers).json()["artifact_id"]
    items = [
        an_outcome("uploaded", type="artifact_reference", artifact_id=name, summary="s"),
        an_outcome("large", output={"is_error": True, "text": "y" * 40_000}),
    ]
    assert client.post("outcomes", json={"outcomes": items}).status_code == 202
    for call in ("uploaded", "large"):
        assert eventually(client, f"outcomes/{call}", checked=True)["verdict"] == "failure"
    assert len(buckets.keys_in(bucket)) == 4  # two artifacts, a trial and the mark
    job = client.post("reclassifications", json={}).json()["reclassification_id"]
    ended = eventually(client, f"reclassifications/{job}", status="done")
    assert ended["progress"]["calls"] == 2
    assert client.get("outcomes/uploaded").json()["verdict"] == "failure"
    ranged = client.get(f"artifacts/{name}", headers={"Range": "bytes=2-9"})
    assert (ranged.status_code, ranged.content) == (206, b"is_error")
    assert client.get("health").json()["artifacts"] == "ok"


@pytest.mark.slow
def test_a_start_with_a_bucket_that_does_not_exist_ends_with_one_sentence(tmp_path: Path):
    absent = buckets.a_bucket().replace("bucket-", "absent-")
    variables = {
        "PORT": "0",
        "EDICTUM_SITE_DATA": str(tmp_path),
        "EDICTUM_SITE_ARTIFACTS": absent,
        **ALONE,
    }
    started = subprocess.run(
        manage_command("up"), env=os.environ | variables, capture_output=True, text=True, timeout=90
    )
    assert started.returncode == 1
    printed = started.stdout + started.stderr
    assert printed.count("the bucket does not exist. Check EDICTUM_SITE_ARTIFACTS.") == 1, printed
    assert "Traceback" not in printed
