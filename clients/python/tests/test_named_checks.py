"""Named checks: fetched from a console, refreshed, cached, and always available to a tool call."""

import ast
import asyncio
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clients.python.copy_matcher import AGENTS
from clients.python.tests.checks_server import NULL_TOO, STATUS_400, ChecksServer, compiled
from edictum_site_client import CheckUnavailable, Console, default_check

OFTEN = 0.05  # seconds between refreshes, so that tests see changes and outages quickly


@pytest.fixture
def server() -> Iterator[ChecksServer]:
    with ChecksServer() as server:
        server.save(STATUS_400, 1)
        yield server


@pytest.fixture
def console(server: ChecksServer) -> Iterator[Console]:
    with Console(server.url, api_key="key", refresh_interval=OFTEN) as console:
        yield console


def eventually(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def threads() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "edictum-site-checks"]


def test_a_check_is_fetched_by_name_and_runs_here(console: Console) -> None:
    check = console.check("unified")
    assert check("lookup", {"status": 200})
    assert not check("lookup", {"status": 404})
    assert not check("lookup", "Traceback (most recent call last)")
    assert not check("lookup", "Error: no such table")  # decided by the default rules
    explained = check.explain("lookup", {"status": 503})
    assert (explained.verdict, explained.rule, explained.value) == ("failure", "http", 503)
    assert explained.reason == "HTTP 503"
    assert (check.name, check.version, check.last_error) == ("unified", 1, "")


@pytest.mark.parametrize(
    "status", [2**63, 10**30, 10**400, 10**5_000], ids=[63, 100, 1_329, 16_610]
)
def test_a_number_of_any_size_stays_one(console: Console, status: int) -> None:
    assert not console.check("unified")("lookup", {"status": status})
    assert console.check("unified")("lookup", {"status": -status})


def test_an_event_loop_takes_one_without_being_held_up(console: Console) -> None:
    check = asyncio.run(console.acheck("unified"))
    assert not check("lookup", {"status": 404})


def test_a_newer_version_is_fetched_in_the_background(
    console: Console, server: ChecksServer
) -> None:
    check = console.check("unified")
    assert check("lookup", None)
    server.save(NULL_TOO, 2)
    eventually(lambda: check.version == 2)
    assert not check("lookup", None)


def test_what_has_not_changed_is_not_sent_again(console: Console, server: ChecksServer) -> None:
    check = console.check("unified")
    server.wait_for(3)
    assert server.requests[0] == ("/v1/success-checks/unified.json", "")
    assert {etag for _, etag in server.requests[1:]} == {'"unified-1"'}
    assert check.version == 1


def test_a_pinned_version_stays_and_is_fetched_once(server: ChecksServer) -> None:
    server.save(NULL_TOO, 2)
    with Console(server.url, api_key="key", refresh_interval=OFTEN) as console:
        check = console.check("unified", version=1)
        following = console.check("unified")
        server.wait_for(3)
        assert (check.version, following.version) == (1, 2)
        assert check("lookup", None)
        assert not following("lookup", None)
    pinned = [path for path, _ in server.requests if path.endswith("?version=1")]
    assert len(pinned) == 1


def test_pinned_checks_alone_need_no_thread(console: Console) -> None:
    check = console.check("unified", version=1)
    assert check("lookup", {})
    assert threads() == []


def test_guards_that_name_one_check_share_it(server: ChecksServer) -> None:
    with Console(server.url, api_key="key") as console:
        both = [console.guard_options("unified") for _ in range(2)]
        assert len(server.requests) == 1
        for options in both:
            assert not options["success_check"]("lookup", {"status": 404})


def test_a_console_that_goes_away_leaves_the_last_good_check(
    console: Console, server: ChecksServer
) -> None:
    check = console.check("unified")
    server.stop()
    eventually(lambda: "refused" in check.last_error)
    assert not check("lookup", {"status": 404})
    server.save(NULL_TOO, 2)
    server.start()
    eventually(lambda: check.version == 2)
    assert check.last_error == ""


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((200, b'{"format": 2, "name": "unified", "version": 2}'), "newer edictum-site-client"),
        ((200, b'{"format": 1, "name": "unified", "version": 2}'), "newer edictum-site-client"),
        ((200, compiled(STATUS_400, 2).replace(b"unified", b"other")), "not a check"),
        ((200, b"import os"), "Expecting value"),
        ((200, b"[" * 100_000), "recursion"),
        ((404, b'{"detail": "Check not found."}'), "HTTP 404: Check not found."),
        ((502, b"<html>"), "HTTP 502"),
        ((302, b""), "HTTP 302"),  # not followed, so that the key isn't sent elsewhere
        ((200, b"<!doctype html><title>Sign in</title>"), "Expecting value"),
        ((200, b""), "Expecting value"),
        ((200, b"\xff\xfe\x00"), "decode"),
        ((200, b'{"name": "unified", "version": 1, "format": 1}'), "not a check of format 1"),
        ((304, b""), ""),
    ],
)
def test_an_answer_that_is_no_such_check_is_refused_and_the_good_one_stays(
    server: ChecksServer, answer: tuple[int, bytes], words: str
) -> None:
    with Console(server.url, api_key="key", refresh_interval=OFTEN) as console:
        check = console.check("unified")
        server.always = answer
        server.wait_for(2)
        eventually(lambda: words in check.last_error)
        assert check.version == 1
        assert not check("lookup", {"status": 404})
    with Console(server.url, api_key="key") as console, pytest.raises(CheckUnavailable) as refused:
        console.check("unified")
    assert words in str(refused.value)


def test_another_version_than_requested_is_rejected(server: ChecksServer) -> None:
    server.versions[3] = server.versions[1]
    with Console(server.url, api_key="key") as console, pytest.raises(CheckUnavailable) as refused:
        console.check("unified", version=3)
    assert "version 1 instead of 3" in str(refused.value)


def test_an_unavailable_check_stops_a_guard_at_the_start(server: ChecksServer) -> None:
    server.stop()
    with Console(server.url, api_key="key") as console, pytest.raises(CheckUnavailable) as refused:
        console.guard_options("unified")
    assert "unified could not be fetched: [Errno" in str(refused.value)


def test_a_fallback_judges_until_the_check_is_there(console: Console, server: ChecksServer) -> None:
    server.stop()
    check = console.check("unified", fallback=default_check)
    assert check("lookup", {"status": 404})
    assert not check("lookup", "Error: x")
    assert (check.explain("lookup", "Error: x").rule, check.version) == ("fallback", None)
    server.start()
    eventually(lambda: check.version == 1)
    assert not check("lookup", {"status": 404})


def test_a_file_stands_in_for_a_console_that_is_away(server: ChecksServer, tmp_path: Path) -> None:
    file = tmp_path / "unified.json"
    with Console(server.url, api_key="key") as console:
        console.check("unified", cache=file)
    server.stop()
    with Console(server.url, api_key="key", refresh_interval=OFTEN) as console:
        check = console.check("unified", cache=file)
        assert not check("lookup", {"status": 404})
        assert "refused" in check.last_error
        server.save(NULL_TOO, 2)
        server.start()
        eventually(lambda: check.version == 2)
    assert json.loads(file.read_text())["check"]["version"] == 2
    assert [one.name for one in tmp_path.iterdir()] == ["unified.json"]


def test_a_file_spares_the_download(server: ChecksServer, tmp_path: Path) -> None:
    for _ in range(2):
        with Console(server.url, api_key="key") as console:
            assert console.check("unified", cache=tmp_path / "unified.json").version == 1
    assert [etag for _, etag in server.requests] == ["", '"unified-1"']


@pytest.mark.parametrize("stored", ["", "[]", '{"etag": "x", "check": {"format": 9}}', "\0"])
def test_a_file_that_holds_no_check_is_as_good_as_none(
    server: ChecksServer, tmp_path: Path, stored: str
) -> None:
    file = tmp_path / "unified.json"
    file.write_text(stored)
    with Console(server.url, api_key="key") as console:
        assert console.check("unified", cache=file).version == 1
    assert json.loads(file.read_text())["check"]["version"] == 1


def test_a_file_that_cannot_be_written_hinders_nothing(
    server: ChecksServer, tmp_path: Path
) -> None:
    with Console(server.url, api_key="key") as console:
        check = console.check("unified", cache=tmp_path / "missing" / "unified.json")
        assert check.version == 1


def test_a_file_of_another_version_is_not_used_for_the_pinned_one(
    server: ChecksServer, tmp_path: Path
) -> None:
    file = tmp_path / "unified.json"
    with Console(server.url, api_key="key") as console:
        console.check("unified", cache=file)
    server.stop()
    with Console(server.url, api_key="key") as console, pytest.raises(CheckUnavailable):
        console.check("unified", version=2, cache=file)


def test_closing_ends_the_thread_and_leaves_the_check(
    console: Console, server: ChecksServer
) -> None:
    check = console.check("unified")
    assert len(threads()) == 1
    console.close()
    assert threads() == []
    assert not check("lookup", {"status": 404})
    assert threads() == []


def test_a_check_that_nobody_uses_any_more_is_not_followed(console: Console) -> None:
    check = console.check("unified")
    assert len(threads()) == 1
    del check
    eventually(lambda: threads() == [])


def test_a_child_of_a_fork_goes_on_and_follows_on_its_own(server: ChecksServer) -> None:
    program = Path(__file__).parent / "programs" / "forked_check.py"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    command = [sys.executable, "-W", "error", str(program), server.url]
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "child\n"
        server.save(NULL_TOO, 2)
        _, complaints = process.communicate(timeout=180)
    assert (process.returncode, complaints) == (0, "")


def test_nothing_that_is_downloaded_could_be_executed() -> None:
    package = AGENTS.parent
    names: set[str] = set()
    for file in package.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                names |= {alias.name.split(".")[0] for alias in node.names}
                names |= {(getattr(node, "module", None) or "").split(".")[0]}
    assert names.isdisjoint(
        {"eval", "exec", "compile", "__import__", "importlib", "pickle", "marshal", "runpy"}
    )


def test_words_of_a_check_stay_words(server: ChecksServer) -> None:
    breaking = "'''\"\"\"{}__import__('os')._exit(1)#\\"
    text = json.dumps(
        {
            "apiVersion": "edictum-site/v1",
            "kind": "SuccessCheck",
            "metadata": {"name": "unified", "description": breaking},
            "otherwise": "success",
            "rules": [
                {"id": "breaking", "when": {"result": {"equals": breaking}}, "verdict": "failure"}
            ],
        }
    )
    server.save(text, 2)
    with Console(server.url, api_key="key") as console:
        explained = console.check("unified").explain("lookup", breaking)
    assert (explained.verdict, explained.value) == ("failure", breaking)


def test_what_is_given_for_a_check_is_a_name_or_can_be_called(console: Console) -> None:
    options: Any = console.guard_options
    with pytest.raises(TypeError, match="success_check"):
        options(7)
    with pytest.raises(TypeError, match="success_check"):
        console.check("unified", fallback="default")  # type: ignore[arg-type]  # what is refused
