"""An agent of the real SDK in a separate process, which calls tools on request."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.journeys.console import Console
from tests.journeys.streams import PATIENCE, new_key
from tests.sdks.environments import ROOT, python_of

PROGRAM = ROOT / "tests" / "sdks" / "programs" / "line_by_line.py"
Call = Callable[[str, str], str]


@contextmanager
def a_connected_agent(console: Console, name: str, *, bundle: str, env: str) -> Iterator[Call]:
    """Yield a function that calls a tool and returns its outcome. The agent holds a stream
    meanwhile."""
    fields = {
        "CONSOLE_URL": console.url,
        "CONSOLE_KEY": new_key(console, env=env, name=name),
        "AGENT": name,
        "BUNDLE": bundle,
        "ENVIRONMENT": env,
        "PATH": os.environ["PATH"],
    }
    with subprocess.Popen(
        [str(python_of("0.19.0")), str(PROGRAM)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=fields,
        text=True,
    ) as process:
        words, answers = process.stdin, process.stdout
        assert words is not None
        assert answers is not None

        def call(tool: str, command: str) -> str:
            words.write(f"{tool} {command}\n")
            words.flush()
            return answers.readline().strip()

        yield call
        words.close()
        assert process.wait(PATIENCE) == 0
