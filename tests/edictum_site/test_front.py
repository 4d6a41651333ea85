"""The front under the real server, with a small WSGI application for tests."""

import hashlib
import http.client
import json
import os
import signal
import socket
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.edictum_site.toy_server import LARGE, Toy, read_all, until

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    toy = Toy(tmp_path_factory.mktemp("toy"))
    yield toy
    toy.stop()


@pytest.fixture
def toy(shared: Toy) -> Toy:
    (shared.folder / "events").unlink(missing_ok=True)
    return shared


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Toy]:
    """A server that the test can stop."""
    toy = Toy(tmp_path)
    toy.ask("/echo")
    yield toy
    toy.process.kill()
    toy.process.wait()


def chunked(pieces: list[bytes]) -> Iterator[bytes]:
    yield from pieces


def test_a_request_has_a_valid_wsgi_environment(toy):
    response, body = toy.ask("/echo/caf%C3%A9?a=1&b=%20", X_Own="one", Content_Type="text/plain")
    answer = json.loads(body)
    assert response.status == 200
    assert answer["PATH_INFO"].encode("latin-1").decode() == "/echo/café"
    assert answer["QUERY_STRING"] == "a=1&b=%20"
    assert (answer["REQUEST_METHOD"], answer["CONTENT_LENGTH"]) == ("GET", "0")
    assert (answer["HTTP_X_OWN"], answer["CONTENT_TYPE"]) == ("one", "text/plain")
    assert answer["REMOTE_ADDR"] == "127.0.0.1"
    assert answer["SERVER_PORT"] == str(toy.address[1])
    assert answer["edictum.front"] is True


def test_repeated_headers_are_joined_and_forged_headers_are_dropped(toy):
    connection = toy.say(
        "POST /echo HTTP/1.1",
        *("Host: here", "Connection: close", "Transfer-Encoding: chunked", "Proxy: evil"),
        *("X-Tag: a", "X-Tag: b", "Cookie: c=1", "Cookie: d=2"),
        *("X_Forwarded_Proto: https", "X-Under_Score: yes", "", "0"),
    )
    answer = json.loads(read_all(connection).partition(b"\r\n\r\n")[2])
    connection.close()
    assert answer["HTTP_X_TAG"] == "a,b"
    assert answer["HTTP_COOKIE"] == "c=1; d=2"
    forged = {"HTTP_X_FORWARDED_PROTO", "HTTP_X_UNDER_SCORE", "HTTP_PROXY"}
    assert not (forged | {"HTTP_TRANSFER_ENCODING", "HTTP_CONNECTION"}) & set(answer)


ENDLESS = {
    "one header": b"GET /echo HTTP/1.1\r\nX-Long: " + b"a" * 4_000_000,
    "many headers": b"GET /echo HTTP/1.1\r\n" + b"a: b\r\n" * 600_000,
    "an address": b"GET /" + b"a" * 4_000_000,
    "a trailer": b"POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX: "
    + b"a" * 4_000_000,
}


@pytest.mark.parametrize("what", ENDLESS)
def test_an_endless_request_head_is_rejected_and_disconnected(toy, what):
    with socket.create_connection(toy.address, timeout=20) as connection, suppress(ConnectionError):
        connection.sendall(ENDLESS[what])
        answer = connection.recv(12)
        assert answer in {b"HTTP/1.1 400", b""}
        connection.settimeout(5)
        while connection.recv(65536):
            pass


def test_large_headers_are_accepted_repeatedly_on_one_connection(toy):
    host, port = toy.address
    connection = http.client.HTTPConnection(host, port, timeout=20)
    for _ in range(20):
        connection.request("POST", "/echo", b"b" * 100_000, {"X-Long": "a" * 30_000})
        response = connection.getresponse()
        assert (response.status, json.loads(response.read())["length"]) == (200, 100_000)
    connection.close()


@pytest.mark.parametrize("size", [0, 1, 65_537, MIB, MIB + 1, 5 * MIB])
@pytest.mark.parametrize("way", ["with its length", "chunked"])
def test_a_body_of_any_size_arrives_complete(toy, size, way):
    content = os.urandom(size)
    sent = content if way == "with its length" else chunked([content[:7], content[7:]])
    response, body = toy.ask("/echo", "POST", sent, Authorization="Bearer large")
    answer = json.loads(body)
    assert response.status == 200
    assert answer["length"] == int(answer["CONTENT_LENGTH"]) == size
    assert answer["sha256"] == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("way", ["with its length", "chunked"])
@pytest.mark.parametrize(
    ("key", "size", "status"),
    [("none", 2 * MIB, 401), ("Bearer large", 9 * MIB, 413), ("Bearer large", 8 * MIB, 200)],
)
def test_a_large_body_is_accepted_up_to_the_limit_of_its_sender(toy, way, key, size, status):
    sent = bytes(size) if way == "with its length" else chunked([bytes(MIB)] * (size // MIB))
    response, body = toy.ask("/echo", "POST", sent, Authorization=key)
    assert response.status == status
    if status != 200:
        assert response.headers["Connection"] == "close"
        assert set(json.loads(body)) == {"code", "detail", "errors"}


def test_an_oversized_announced_body_is_rejected_before_it_is_sent(toy):
    connection = toy.say(
        *("POST /echo HTTP/1.1", "Host: here", "Expect: 100-continue"),
        f"Content-Length: {100 * MIB}",
    )
    assert connection.recv(1000).startswith(b"HTTP/1.1 401 ")
    connection.close()


def test_slow_uploads_do_not_occupy_threads(toy):
    head = ("POST /echo HTTP/1.1", "Host: here", "Connection: close", "Content-Length: 10")
    slow = [toy.say(*head) for _ in range(30)]
    assert toy.ask("/echo")[0].status == 200
    for connection in slow:
        connection.sendall(b"0123456789")
    assert all(b'"length": 10' in read_all(connection) for connection in slow)
    for connection in slow:
        connection.close()


def test_a_client_that_disconnects_during_an_upload_leaves_no_files(toy):
    head = ("POST /echo HTTP/1.1", "Host: here", "Authorization: Bearer large")
    for _ in range(10):
        connection = toy.say(*head, f"Content-Length: {5 * MIB}")
        connection.sendall(bytes(2 * MIB))
        connection.close()
    assert toy.ask("/echo")[0].status == 200
    assert list(toy.folder.glob("tmp*")) == []


def test_files_are_sent_completely_and_not_beyond_their_content_length(toy):
    assert toy.ask("/small_file")[1] == b"small " * 100
    assert toy.ask("/large_file")[1] == LARGE
    assert toy.ask("/growing_file")[1] == b"g" * 2_000_000


def test_stalled_downloads_do_not_occupy_threads(toy):
    stalled = [toy.say("GET /large_file HTTP/1.1", "Host: here") for _ in range(20)]
    stalled += [toy.say("GET /endless HTTP/1.1", "Host: here") for _ in range(8)]
    assert toy.ask("/echo")[0].status == 200
    assert toy.ask("/large_file")[1] == LARGE
    for connection in stalled:
        connection.close()
    until(lambda: toy.events().count("endless closed") == 8)


def test_a_head_request_gets_only_headers(toy):
    response, body = toy.ask("/large_file", "HEAD")
    assert (response.headers["Content-Length"], body) == (str(len(LARGE)), b"")
    assert toy.ask("/rows", "HEAD")[1] == b""
    assert toy.ask("/endless", "HEAD")[0].status == 200


def test_export_rows_are_generated_on_another_thread_and_sent_in_order(toy):
    response, body = toy.ask("/rows")
    assert response.headers["Transfer-Encoding"] == "chunked"
    assert body.decode().splitlines() == [f"{number},False" for number in range(5000)]
    until(lambda: "thread released" in toy.events())


def test_an_export_stops_when_its_reader_disconnects(toy):
    connection = toy.say("GET /endless HTTP/1.1", "Host: here")
    assert connection.recv(1000)
    connection.close()
    until(lambda: "endless closed" in toy.events())


def test_a_failed_export_is_an_incomplete_response(toy):
    with pytest.raises(http.client.IncompleteRead):
        toy.ask("/broken_export")


def test_a_waiting_request_gets_one_response_and_its_body_is_preserved(toy):
    response, body = toy.ask("/wait?0.1", "POST", b"hello")
    assert (response.status, body) == (200, b"waited, body hello")
    assert toy.events().count("waited on") == 1


def test_waiting_requests_do_not_occupy_threads(toy):
    with ThreadPoolExecutor(30) as clients:
        waiting = [clients.submit(toy.ask, "/wait?1") for _ in range(30)]
        until(lambda: len(toy.events()) >= 30)
        assert toy.ask("/echo")[0].status == 200
        assert not any(answer.done() for answer in waiting)
        assert {answer.result()[1] for answer in waiting} == {b"waited, body "}


def test_a_wait_ends_when_its_client_disconnects(toy):
    connection = toy.say("GET /wait?1000000 HTTP/1.1", "Host: here")
    until(lambda: "waited on" in toy.events())
    connection.close()
    until(lambda: "wait ended" in toy.events())


def test_the_33rd_waiting_request_is_503_with_retry_after(toy):
    waiting = [toy.say("GET /wait?1000000 HTTP/1.1", "Host: here") for _ in range(32)]
    until(lambda: toy.events().count("waited on") == 32)
    response, body = toy.ask("/wait?1000000")
    assert (response.status, json.loads(body)["code"]) == (503, "busy")
    assert response.headers["Retry-After"] == "2"
    for connection in waiting:
        connection.close()
    assert toy.ask("/wait?0")[1] == b"waited, body "


@pytest.mark.parametrize(
    ("accept", "kind"), [("application/json", "application/json"), ("text/html", "text/html")]
)
def test_an_application_error_is_a_500_without_details(toy, accept, kind):
    response, body = toy.ask("/broken", Accept=accept)
    assert response.status == 500
    assert response.headers["Content-Type"].startswith(kind)
    assert b"the application broke" not in body


def test_hop_by_hop_headers_of_the_application_are_dropped(toy):
    response, body = toy.ask("/hop")
    assert body == b"still here"
    assert response.headers["Connection"] is response.headers["Keep-Alive"] is None
    response, body = toy.ask("/nothing")
    assert (response.status, body, response.headers["ETag"]) == (304, b"", '"a"')


def test_shutdown_completes_running_and_waiting_requests(own):
    with ThreadPoolExecutor(2) as clients:
        busy = clients.submit(own.ask, "/busy?0.5")
        waiting = clients.submit(own.ask, "/wait?1000000")
        until(lambda: "waited on" in own.events())
        assert own.stop() == -signal.SIGTERM
        assert busy.result()[1] == b"done"
        assert waiting.result()[1] == b"waited, body "
    assert own.events().count("thread released") == 4 + 2 + 1  # serve, export and wait threads


def test_client_disconnects_are_not_logged_as_errors(own):
    # The second half sends another request before the first response.
    request = ("GET /wait?1 HTTP/1.1", "Host: here")
    connections = [own.say(*request) for _ in range(20)]
    connections += [own.say(*request, "", *request) for _ in range(20)]
    until(lambda: len(own.events()) >= 40)
    for connection in connections:
        # A TCP reset, as from a killed client.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    assert own.ask("/echo")[0].status == 200
    own.stop()
    assert "Traceback" not in (own.folder / "log").read_text()


def test_an_aborted_stream_is_an_incomplete_response(toy):
    connection = toy.say("GET /stream?cut HTTP/1.1", "Host: here")
    received = read_all(connection)
    connection.close()
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert body == b"9\r\n: hello\n\n\r\n"  # without the empty chunk that ends a response
    assert toy.ask("/echo")[0].status == 200


def test_a_denied_stream_gets_the_same_error_as_any_request(toy):
    response, body = toy.ask("/stream?refused")
    assert (response.status, json.loads(body)["code"]) == (404, "not_found")


def test_a_head_request_for_a_stream_opens_no_stream(toy):
    response, body = toy.ask("/stream?endless", "HEAD")
    assert (response.status, response.headers["Content-Type"]) == (200, "text/event-stream")
    assert body == b""


def test_shutdown_or_a_client_disconnect_ends_a_stream(own):
    connection = own.say("GET /stream?endless HTTP/1.1", "Host: here")
    received = b""
    while b": hello" not in received:
        received += connection.recv(1000)
    connection.close()
    until(lambda: own.events() == ["stream ended"])
    open_ones = [own.say("GET /stream?endless HTTP/1.1", "Host: here") for _ in range(20)]
    for connection in open_ones:
        assert connection.recv(1)
    assert own.stop() == -signal.SIGTERM
    assert not any(read_all(connection).endswith(b"0\r\n\r\n") for connection in open_ones)
    for connection in open_ones:
        connection.close()
    assert own.events().count("stream ended") == 21
    assert (own.folder / "log").read_text() == ""
