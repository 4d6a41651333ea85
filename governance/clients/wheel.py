"""Build a reproducible wheel of a pure-Python package: same source, same bytes.

Covers what `clients/python` needs: one package below `src`, console scripts, no dependencies.
"""

import csv
import io
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.conf import settings

_SOURCE: Final = settings.BASE / "clients" / "python"
_LICENSE: Final = settings.BASE / "LICENSE"
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)  # earliest timestamp of the zip format
_MODE: Final = 0o100644 << 16  # a regular file, readable by everyone
_WHEEL: Final = """\
Wheel-Version: 1.0
Generator: edictum-site
Root-Is-Purelib: true
Tag: py3-none-any
"""


class Wheel(NamedTuple):
    name: str  # file name
    content: bytes
    project: str
    version: str

    @property
    def sha256(self) -> str:
        return sha256(self.content).hexdigest()


@cache
def client_wheel() -> Wheel:
    """Wheel of the client package, built once per process at the first request."""
    return wheel_of(_SOURCE, license_file=_LICENSE)


def wheel_of(source: Path, *, license_file: Path) -> Wheel:
    project = tomllib.loads((source / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if project["dependencies"]:
        raise ValueError("This wheel writer knows no dependencies.")
    package = project["name"].replace("-", "_")
    info = f"{package}-{project['version']}.dist-info"
    files = _package_files(source / "src", package) | {
        f"{info}/METADATA": _metadata(project, (source / project["readme"]).read_text("utf-8")),
        f"{info}/WHEEL": _WHEEL.encode(),
        f"{info}/entry_points.txt": _entry_points(project),
        f"{info}/licenses/LICENSE": license_file.read_bytes(),
    }
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    name = f"{package}-{project['version']}-py3-none-any.whl"
    return Wheel(name, _zipped(files), project["name"], project["version"])


def _package_files(folder: Path, package: str) -> dict[str, bytes]:
    paths = sorted((folder / package).rglob("*"))
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in paths
        if path.suffix == ".py" or path.name == "py.typed"
    }


def _metadata(project: Mapping[str, Any], readme: str) -> bytes:
    fields = [
        ("Metadata-Version", "2.4"),
        ("Name", project["name"]),
        ("Version", project["version"]),
        ("Summary", project["description"]),
        ("License-Expression", project["license"]),
        ("License-File", "LICENSE"),
        *(("Classifier", each) for each in project["classifiers"]),
        ("Requires-Python", project["requires-python"]),
        ("Description-Content-Type", "text/markdown"),
    ]
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return f"{head}\n{readme}".encode()


def _entry_points(project: Mapping[str, Any]) -> bytes:
    lines = [f"{name} = {function}\n" for name, function in project["scripts"].items()]
    return "".join(["[console_scripts]\n", *lines]).encode()


def _record(files: Mapping[str, bytes], own_name: str) -> bytes:
    """RECORD file: name, hash and size of every file, but only the name of itself."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, content in files.items():
        digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow([name, f"sha256={digest}", len(content)])
    rows.writerow([own_name, "", ""])
    return text.getvalue().encode()


def _zipped(files: Mapping[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.external_attr = _MODE
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return archive.getvalue()
