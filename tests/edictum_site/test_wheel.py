"""The product installed from its wheel, without the checkout."""

import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from django.conf import settings

from edictum_site.stack.running import Product

pytestmark = pytest.mark.slow  # starts the product

KEY = f"edk_production_{40 * 'w'}"
ELSEWHERE = {"DATABASE_URL": "", "REDIS_URL": "", "PYTHONPATH": "", "PYTHONSAFEPATH": ""}


def built(folder: Path) -> Path:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=settings.BASE, check=True, capture_output=True, timeout=60)
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs of an environment with the wheel installed, sharing this one's libraries."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    base = {"base": str(folder), "platbase": str(folder)}
    packages = Path(sysconfig.get_path("purelib", "venv", base))
    (packages / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install"]
    subprocess.run([*pip, "--quiet", "--no-deps", "--no-index", str(wheel)], check=True, timeout=60)
    return folder / "bin"


@pytest.fixture(scope="module")
def running(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    home = tmp_path_factory.mktemp("home")
    variables = ELSEWHERE | {"HOME": str(home), "EDICTUM_SITE_BOOTSTRAP_KEY": KEY}
    product = Product(home / "data", variables, start=[str(installed / "edictum-site")])
    try:
        yield product.wait_until_served()
    finally:
        product.stop()


@pytest.fixture(scope="module")
def client(running: Product) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {KEY}"}
    with httpx.Client(base_url=running.url, headers=headers, timeout=40) as client:
        yield client


def test_wheel_builds_are_reproducible(wheel, tmp_path):
    assert sha256(built(tmp_path).read_bytes()).digest() == sha256(wheel.read_bytes()).digest()


def test_the_wheel_contains_every_template_style_and_document(wheel):
    files = ("templates/", "static/", "docs/")
    tracked = subprocess.run(
        ["git", "ls-files", *files, "edictum_site", "governance", "outcomes"],
        cwd=settings.BASE, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    packed = (f"edictum_site/_files/{each}" if each.startswith(files) else each for each in tracked)
    assert set(packed) - names == set()
    assert not any("tests/" in name or "__pycache__" in name for name in names)


def test_the_installed_wheel_serves_pages_styles_and_the_client_package(client):
    page = client.get("/", follow_redirects=True).text
    assert "edictum-site setup_link" in page
    for file in re.findall(r'"(/static/[^"]+\.css)', page):
        assert "--" in client.get(file).raise_for_status().text
    (name,) = set(re.findall(r"/clients/[\w.-]+\.whl", client.get("/clients/").text))
    assert client.get(name).content.startswith(b"PK")


def test_the_installed_wheel_processes_outcomes_and_validates_contracts(client):
    outcome = {"type": "execution_result", "call_id": "one", "tool_name": "pay", "output": "done"}
    assert client.post("/v1/outcomes", json={"outcomes": [outcome]}).status_code == 202
    settled = client.get("/v1/outcomes", params={"wait": 30}).json()
    assert [each["call_id"] for each in settled["outcomes"]] == ["one"]
    assert client.post("/v1/contracts/validate", json={"yaml": "kind: Nothing"}).json()["errors"]


def test_the_installed_wheel_stores_data_in_the_users_home(installed, tmp_path):
    code = "from edictum_site.program.place import default_data; print(default_data())"
    command = [str(installed / "python"), "-P", "-c", code]
    run = partial(subprocess.run, command, capture_output=True, text=True, check=True)
    env = {"HOME": str(tmp_path)}
    assert run(env=env).stdout.strip() == str(tmp_path / ".local/share/edictum-site")
    env["XDG_DATA_HOME"] = str(tmp_path / "shared")
    assert run(env=env).stdout.strip() == str(tmp_path / "shared/edictum-site")
