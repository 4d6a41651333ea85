"""Installed size, measured in a fresh environment without development tools, after one start.

`python -m bench.installed DATA` starts the product on a folder and stops it, so that Python stores
byte-code for exactly the modules that are imported.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from edictum_site.stack.running import product

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".cache/installed"
# Packages that belong to the virtual environment itself.
_TOOLS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence")
_MIB = 1024 * 1024


def sizes() -> dict[str, float]:
    """Size in MiB, as allocated disk blocks and as the sum of file sizes."""
    python = _installed(ROOT / "requirements.txt")
    environment = {name: value for name, value in os.environ.items() if name not in _HINDERS}
    with tempfile.TemporaryDirectory(prefix="edictum-size-") as data:
        command = [str(python), "-m", "bench.installed", data]
        subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)
    files = [file.lstat() for file in _files()]
    return {
        "blocks_mib": round(sum(file.st_blocks * 512 for file in files) / _MIB, 1),
        "bytes_mib": round(sum(file.st_size for file in files) / _MIB, 1),
    }


_HINDERS = {"PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "DATABASE_URL", "DATABASE_URL_FILE"}


def _installed(requirements: Path) -> Path:
    python = ENVIRONMENT / "bin/python"
    stamp = ENVIRONMENT / requirements.name
    if stamp.exists() and stamp.read_bytes() == requirements.read_bytes():
        return python
    shutil.rmtree(ENVIRONMENT, ignore_errors=True)
    subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    subprocess.run(
        [
            *(str(python), "-m", "pip", "install", "-qq", "--no-compile"),
            *("--disable-pip-version-check", "--require-hashes", "-r", str(requirements)),
        ],
        check=True,
    )
    shutil.copyfile(requirements, stamp)
    return python


def _files() -> list[Path]:
    packages = next(ENVIRONMENT.glob("lib/python*/site-packages"))
    tools = [each for each in packages.iterdir() if each.name.startswith(_TOOLS)]
    return [
        file
        for file in ENVIRONMENT.rglob("*")
        if not file.is_dir() and not any(file.is_relative_to(tool) for tool in tools)
    ]


if __name__ == "__main__":
    with product(Path(sys.argv[1])):
        pass
