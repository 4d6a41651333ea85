"""The wheel of the client package that the console serves."""

import csv
import io
import re
import zipfile
from base64 import urlsafe_b64encode
from email import message_from_bytes
from hashlib import sha256
from pathlib import Path

import pytest
from django.test import Client

from governance.clients.wheel import client_wheel, wheel_of

ROOT = Path(__file__).resolve().parents[3]
SOURCE, LICENSE = ROOT / "clients/python", ROOT / "LICENSE"

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def archive():
    with zipfile.ZipFile(io.BytesIO(client_wheel().content)) as archive:
        yield archive


def test_the_wheel_contains_exactly_the_files_of_the_package(archive):
    package = SOURCE / "src/edictum_site_client"
    files = {
        path.relative_to(SOURCE / "src").as_posix(): path.read_bytes()
        for path in package.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    packed = {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == files
    assert "edictum_site_client/py.typed" in packed


def test_the_record_lists_every_file_with_its_hash_and_size(archive):
    (name,) = [name for name in archive.namelist() if name.endswith("/RECORD")]
    rows = list(csv.reader(io.StringIO(archive.read(name).decode())))
    assert [row[0] for row in rows] == archive.namelist()
    assert rows[-1] == [name, "", ""]
    for file, digest, size in rows[:-1]:
        content = archive.read(file)
        hashed = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
        assert (digest, int(size)) == (f"sha256={hashed}", len(content))


def test_the_metadata_comes_from_the_project_file(archive):
    (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
    metadata = message_from_bytes(archive.read(name))
    assert metadata["Name"] == "edictum-site-client"
    assert client_wheel().name == f"edictum_site_client-{metadata['Version']}-py3-none-any.whl"
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_payload(decode=True) == (SOURCE / "README.md").read_bytes()


def test_the_wheel_build_is_reproducible():
    assert wheel_of(SOURCE, license_file=LICENSE).content == client_wheel().content


def test_the_wheel_downloads_without_a_key_and_its_page_has_a_pip_link():
    wheel, stranger = client_wheel(), Client()
    page = stranger.get("/clients/")
    assert page.status_code == 200
    (link,) = re.findall(r'href="(/clients/[^"]+\.whl)#sha256=([0-9a-f]+)"', page.text)
    answer = stranger.get(link[0])
    assert answer.content == wheel.content
    assert sha256(answer.content).hexdigest() == link[1]
    assert f'pip install "http://testserver/clients/{wheel.name}"' in page.text.replace(
        "&quot;", '"'
    )


def test_an_unknown_wheel_file_is_404():
    assert Client().get("/clients/edictum_site_client-9.9-py3-none-any.whl").status_code == 404
