"""The product starts with only its lock file installed, without development tools."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# The first import of each child process.
START = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

names = set(sys.argv[1:])
sys.meta_path.insert(0, Absent())
import django
django.setup()
import edictum_site.server, edictum_site.urls, edictum_site.stack.up
from edictum_site.celery import app
app.connection_for_read(url="redis://127.0.0.1:1/0").transport
import celery.apps.worker, celery.beat
import governance.evaluation.evaluator.serve, governance.evaluation.evaluator.warm_up
"""


def named_in(lock: str) -> set[str]:
    text = (ROOT / lock).read_text()
    return {_plain(name) for name in re.findall(r"^([\w.-]+)==", text, re.MULTILINE)}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_product_starts_with_only_the_locked_requirements():
    tools = named_in("requirements-dev.txt") - named_in("requirements.txt")
    absent = [
        module
        for module, distributions in packages_distributions().items()
        if {_plain(name) for name in distributions} <= tools
    ]

    started = subprocess.run(
        [sys.executable, "-c", START, *absent], cwd=ROOT, capture_output=True, text=True
    )

    assert started.returncode == 0, started.stderr
