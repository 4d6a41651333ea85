"""Virtual environments for SDK versions and frameworks, created once in the cache folder."""

import fcntl
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".cache" / "sdks"
# Without pip, which takes longer to install than the packages.
VENV = (sys.executable, "-m", "venv", "--without-pip")
TO_INSTALL = 600.0  # seconds, since some packages are hundreds of megabytes
# Tested frameworks by the name of edictum's adapter. Versions are defined only here.
FRAMEWORKS = {
    "agno": ("agno", "3.1.10"),
    "claude_agent_sdk": ("claude-agent-sdk", "0.2.184"),
    "crewai": ("crewai", "1.15.30"),
    "google_adk": ("google-adk", "2.13.0"),
    "langchain": ("langchain", "1.4.7"),
    "nanobot": ("nanobot-ai", "0.3.5"),
    "openai_agents": ("openai-agents", "0.24.0"),
    "semantic_kernel": ("semantic-kernel", "1.45.0"),
}
# Matches pip's output if the registry is unreachable, but not if a version doesn't exist.
UNREACHABLE = re.compile(
    r"connection broken by|Failed to establish a new connection|name resolution"
)


class NotInstalled(Exception):
    """An installation failed; the message has the command and its output."""


def pip_of(python: Path) -> tuple[str, ...]:
    """Command that runs pip for this interpreter's environment."""
    return sys.executable, "-m", "pip", "--python", str(python)


def python_of(version: str) -> Path:
    """Interpreter of an environment with this version of edictum and its server extras."""
    # Older versions don't have the `verified` extra; pip then installs without it.
    return _made(version, f"edictum[yaml,server,verified]=={version}")


def python_with(framework: str) -> Path:
    """Interpreter of an environment with this framework and the newest edictum."""
    name, version = FRAMEWORKS[framework]
    folder = f"adapter-{framework.replace('_', '-')}"
    return _made(folder, "edictum[yaml,server,verified]==0.19.0", f"{name}=={version}")


def _made(name: str, *expected: str) -> Path:
    folder = FOLDER / name
    python, stamp = folder / "bin" / "python", folder / "installed"
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # concurrent runs may create the same environment
        if not stamp.exists() or stamp.read_text() != " ".join(expected):
            _run(*VENV, "--clear", str(folder))
            try:
                _run(*pip_of(python), "install", "--quiet", "--no-compile", *expected)
            except NotInstalled as error:
                if UNREACHABLE.search(str(error)):
                    pytest.skip(f"No registry of packages can be reached to install {expected[-1]}")
                raise
            stamp.write_text(" ".join(expected))
    return python


def _run(*command: str) -> None:
    env = os.environ | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=TO_INSTALL)
    if done.returncode:
        raise NotInstalled(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")
